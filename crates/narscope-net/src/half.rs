//! Half precision (IEEE 754 binary16): how weights are stored where their size counts.

/// The number that two bytes in half precision stand for.
pub fn from_half(bits: u16) -> f32 {
    let sign = u32::from(bits >> 15) << 31;
    let (exponent, fraction) = (u32::from(bits >> 10 & 0x1f), u32::from(bits & 0x3ff));
    match exponent {
        // Zero and denormal numbers: multiples of 2⁻²⁴.
        0 => f32::from_bits(sign | (fraction as f32 * f32::from_bits(103 << 23)).to_bits()),
        0x1f => f32::from_bits(sign | 0xff << 23 | fraction << 13),
        _ => f32::from_bits(sign | (exponent + 112) << 23 | fraction << 13),
    }
}

/// The nearest number in half precision; of two equally near ones the even one. What is too large
/// becomes infinity.
pub fn to_half(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = (bits >> 16 & 0x8000) as u16;
    let magnitude = f32::from_bits(bits & 0x7fff_ffff);
    if magnitude.is_nan() {
        return sign | 0x7e00;
    }
    // Halfway between the largest number and the next power of two.
    if magnitude >= 65520.0 {
        return sign | 0x7c00;
    }
    // The smallest normal number, 2⁻¹⁴.
    if magnitude < f32::from_bits(113 << 23) {
        // Adding 2⁻¹ rounds to multiples of 2⁻²⁴, to even.
        let rounded = magnitude + 0.5;
        return sign | (rounded.to_bits() - 0.5_f32.to_bits()) as u16;
    }
    let magnitude = magnitude.to_bits();
    let to_even = magnitude >> 13 & 1;
    sign | ((magnitude + 0xfff + to_even - (112 << 23)) >> 13) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_comes_back_and_known_ones_have_their_values() {
        for bits in 0..=u16::MAX {
            let value = from_half(bits);
            if value.is_nan() {
                assert!(from_half(to_half(value)).is_nan(), "{bits:#x}");
            } else {
                assert_eq!(to_half(value), bits, "{bits:#x} is {value}");
            }
        }
        let known = [(0x3c00, 1.0), (0xc000, -2.0), (0x7bff, 65504.0), (0x0001, 2.0_f32.powi(-24))];
        for (bits, value) in known {
            assert_eq!(from_half(bits), value);
        }
    }

    #[test]
    fn numbers_between_two_halves_go_to_the_nearest_and_ties_to_the_even_one() {
        for bits in 0..0x7bff_u16 {
            let (low, high) = (from_half(bits), from_half(bits + 1));
            let middle = f32::midpoint(low, high);
            let even = if bits % 2 == 0 { bits } else { bits + 1 };
            assert_eq!(to_half(middle), even, "{bits:#x}");
            assert_eq!(to_half(middle.next_up()), bits + 1, "{bits:#x}");
            assert_eq!(to_half(middle.next_down()), bits, "{bits:#x}");
        }
        assert_eq!((to_half(65519.9), to_half(65520.0)), (0x7bff, 0x7c00));
    }
}
