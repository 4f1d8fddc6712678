/** Round numbers inside a range, about `count` of them: multiples of 1, 2 or 5 times a power of ten. */
export function ticks(low, high, count) {
  const span = high - low;
  if (!(span > 0)) {
    return [low];
  }
  const rough = span / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const [, factor] = [[1.5, 1], [3, 2], [7, 5], [Infinity, 10]].find(([limit]) => rough < limit * power);
  const step = factor * power;
  const [first, last] = [Math.ceil(low / step - 1e-9), Math.floor(high / step + 1e-9)];
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  // Number() turns -0.0 and 0.30000000000000004 into what people write.
  return Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toFixed(digits)) + 0);
}
