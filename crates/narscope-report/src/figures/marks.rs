//! Marks that show all variants and all seeds, shared by figures.

use narscope_analysis::histogram::Histogram as Counts;

use super::seeds::{Network, estimate, mean};
use crate::plot::{Colour, Dots, Histogram, Line, Mark, Series};

/// A thin line per seed, and a line through the means of every variant.
pub(super) fn curves<A>(
    networks: &[Network<'_, A>],
    of: impl Fn(&A) -> Vec<(f64, f64)>,
) -> Vec<Mark> {
    let (mut thin, mut thick) = (vec![], vec![]);
    for (index, network) in networks.iter().enumerate() {
        let seeds: Vec<Vec<(f64, f64)>> = network.seeds.iter().map(|(_, data)| of(data)).collect();
        if let [_, _, ..] = &seeds[..] {
            let line = |points: &Vec<(f64, f64)>| {
                Line::new(points.clone(), Colour::Category(index)).thin().into()
            };
            thin.extend(seeds.iter().map(line));
        }
        let means = mean_curve(&seeds);
        let line = Line::new(means, Colour::Category(index)).marked().named(network.variant);
        thick.push(line.into());
    }
    thin.into_iter().chain(thick).collect()
}

/// Means at the positions that all curves have.
fn mean_curve(curves: &[Vec<(f64, f64)>]) -> Vec<(f64, f64)> {
    let Some((first, others)) = curves.split_first() else { return vec![] };
    let at = |curve: &[(f64, f64)], x: f64| curve.iter().find(|it| it.0 == x).map(|it| it.1);
    let mean_at = |&(x, y): &(f64, f64)| {
        let values: Option<Vec<f64>> = others.iter().map(|curve| at(curve, x)).collect();
        let values: Vec<f64> = std::iter::once(y).chain(values?).collect();
        Some((x, mean(&values)))
    };
    first.iter().filter_map(mean_at).collect()
}

/// Finds a number in an answer.
type Value<'a, A> = Box<dyn Fn(&A) -> Option<f64> + 'a>;

/// A named number of an answer.
pub(super) struct Row<'a, A> {
    name: String,
    value: Value<'a, A>,
}

impl<'a, A> Row<'a, A> {
    /// A row of a dot plot.
    pub(super) fn new(name: impl Into<String>, value: impl Fn(&A) -> Option<f64> + 'a) -> Self {
        Self { name: name.into(), value: Box::new(value) }
    }
}

/// A dot plot: a row per number, a series per variant, with a dot per seed and the mean with its interval within
/// `range`.
pub(super) fn dots<A>(networks: &[Network<'_, A>], rows: &[Row<'_, A>], range: (f64, f64)) -> Dots {
    let series = networks.iter().enumerate().map(|(index, network)| {
        let values = rows.iter().map(|row| estimate(&network.values(&row.value), range));
        Series::new(network.variant, Colour::Category(index), values.collect())
    });
    Dots::new(rows.iter().map(|row| row.name.clone()).collect(), series.collect())
}

/// Correct and wrong nodes by a variable, as shares of the correct and of the wrong ones, over all networks.
pub(super) fn right_and_wrong<'a>(all: impl Iterator<Item = &'a Counts>) -> Vec<Mark> {
    let Some(sum) = all.fold(None, |sum: Option<Counts>, counts| {
        let Some(mut sum) = sum else { return Some(counts.clone()) };
        sum.right.iter_mut().zip(&counts.right).for_each(|(sum, count)| *sum += count);
        sum.wrong.iter_mut().zip(&counts.wrong).for_each(|(sum, count)| *sum += count);
        Some(sum)
    }) else {
        return vec![];
    };
    let shares = |counts: &[usize]| -> Vec<f64> {
        let total = counts.iter().sum::<usize>().max(1) as f64;
        counts.iter().map(|&count| count as f64 / total).collect()
    };
    let histogram = |counts: &[usize], colour, name: &str| {
        Histogram::new(edges(&sum), shares(counts), colour).named(name).into()
    };
    vec![
        histogram(&sum.right, Colour::Correct, "correct nodes"),
        histogram(&sum.wrong, Colour::Wrong, "wrong nodes"),
    ]
}

/// Edges of the bins.
fn edges(counts: &Counts) -> Vec<f64> {
    (0..=counts.right.len()).map(|bin| counts.start + bin as f64 * counts.width).collect()
}

/// Share of wrong nodes in each bin with enough nodes, at its middle.
pub(super) fn wrong_rates(counts: &Counts) -> Vec<(f64, f64)> {
    /// Rates of fewer nodes are noise.
    const LEAST: usize = 20;
    let middle = |bin: usize| counts.start + (0.5 + bin as f64) * counts.width;
    let bins = counts.right.iter().zip(&counts.wrong).enumerate();
    let bins = bins.filter(|(_, (right, wrong))| *right + *wrong >= LEAST);
    bins.map(|(bin, (&right, &wrong))| (middle(bin), wrong as f64 / (right + wrong) as f64))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(seeds: Vec<(u32, Vec<(f64, f64)>)>) -> Network<'static, Vec<(f64, f64)>> {
        Network { variant: "mpnn", seeds, is_comparable: false }
    }

    #[test]
    fn every_seed_has_a_thin_line_and_the_mean_has_the_name() {
        let one = vec![(1.0, 0.25), (2.0, 0.5)];
        let two = vec![(1.0, 0.75), (3.0, 0.5)];
        let marks = curves(&[network(vec![(42, one.clone()), (43, two)])], Clone::clone);
        let [Mark::Line(first), Mark::Line(_), Mark::Line(mean)] = &marks[..] else {
            panic!("two seeds and their mean, found {marks:?}")
        };
        assert_eq!((&first.points, &first.name), (&one, &None));
        assert_eq!(mean.points, [(1.0, 0.5)], "positions that both seeds have");
        assert_eq!(mean.name.as_deref(), Some("mpnn"));
        let alone = curves(&[network(vec![(42, one)])], Clone::clone);
        assert_eq!(alone.len(), 1, "a single seed is its own mean");
    }

    #[test]
    fn dots_have_every_seed() {
        let of = |seeds: Vec<(u32, Vec<(f64, f64)>)>| {
            let row = Row::new("first", |data: &Vec<(f64, f64)>| data.first().map(|it| it.1));
            dots(&[network(seeds)], &[row], (0.0, 1.0)).series[0].values[0].clone().unwrap()
        };
        let both = of(vec![(42, vec![(1.0, 0.25)]), (43, vec![(1.0, 0.75)])]);
        assert_eq!((both.value, both.seeds), (0.5, vec![0.25, 0.75]));
        assert_eq!(both.interval, Some((0.0, 1.0)), "within the range");
        assert_eq!(of(vec![(42, vec![(1.0, 0.25)])]).interval, None);
    }

    #[test]
    fn rates_of_few_nodes_are_left_out() {
        let counts = Counts { start: 0.0, width: 0.5, right: vec![15, 3], wrong: vec![5, 9] };
        assert_eq!(wrong_rates(&counts), [(0.25, 0.25)]);
    }
}
