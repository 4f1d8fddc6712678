//! A run learns from the very samples that the reference's run script would show it.

#![expect(clippy::unreadable_literal, reason = "as Python printed them")]

use narscope_clrs::column::Row;
use narscope_clrs::probe::Stage;
use narscope_clrs::trace::Traces;
use narscope_model::config::Draft;
use narscope_model::data::Data;
use narscope_model::train::specs;

/// Sums of the positions and of the weights or keys of a batch, and of its lengths.
fn sums(traces: &Traces) -> (f64, f64, usize) {
    let sum = |names: &[&str]| -> f64 {
        let place = names.iter().find_map(|name| traces.find(Stage::Input, name)).unwrap();
        let mut rows = traces.columns[place].rows_from(0);
        let mut sum = 0.0;
        while let Some(row) = rows.next_row() {
            sum += match row {
                Row::Real(row) => row.iter().sum::<f64>(),
                row => panic!("{row:?} is not a row of numbers"),
            };
        }
        sum
    };
    (sum(&["pos"]), sum(&["A", "key"]), (0..traces.len()).map(|i| traces.steps(i)).sum())
}

#[track_caller]
fn assert_batch(what: &str, traces: &Traces, (positions, values, lengths): (f64, f64, usize)) {
    let (our_positions, our_values, our_lengths) = sums(traces);
    assert!((our_positions - positions).abs() < 1e-9, "positions of {what}: {our_positions}");
    assert!((our_values - values).abs() < 1e-9, "values of {what}: {our_values}");
    assert_eq!(our_lengths, lengths, "lengths of {what}");
}

/// The numbers are those of `create_samplers` of dm-clrs 2.0.3 with `RandomState(42)`, one draw taken
/// off, and its flags' defaults; the test set, which draws nothing, was left out.
#[test]
fn batches_are_those_of_the_run_script() {
    let algorithms = ["bellman_ford", "insertion_sort", "bridges"];
    let text = format!("algorithms = {algorithms:?}");
    let config = Draft::parse(&text).unwrap().finish().unwrap();
    let mut data = Data::new(&config, &specs(&config).unwrap()).unwrap();
    let train = [
        (61.57503409400461, 85.3471618061354, 54),
        (68.38414820684139, 63.00573929657908, 128),
        (60.38619075159103, 63.0, 407),
        (112.7066106195658, 246.41622079807462, 77),
        (113.5377147289938, 106.70144617744609, 224),
        (117.35833829885672, 146.0, 743),
        (178.71456027688356, 580.0760680495797, 112),
        (171.81183036150986, 180.3600487318647, 352),
        (173.79966376065855, 272.0, 1219),
        (207.82016663458518, 919.2508992262517, 115),
        (216.37975314119853, 205.90659727569465, 416),
        (212.6576788600599, 434.0, 1554),
        (263.0284449980425, 1113.7481600549522, 121),
        (244.8511541247094, 259.21656213210804, 512),
        (254.74469513827552, 832.0, 2230),
        (61.973858650930666, 102.94687290858255, 60),
        (61.17043692457555, 66.47387918837279, 128),
        (61.9217300299603, 48.0, 398),
    ];
    for (i, expected) in train.into_iter().enumerate() {
        let (step, task) = (i / 3, i % 3);
        let batch = data.train_batch(task, step).unwrap();
        assert_batch(&format!("step {step}, {}", algorithms[task]), &batch, expected);
    }
    let val = [
        (249.43887323131543, 1251.8234912420066, 120),
        (249.41272313770256, 1547.437324967686, 147),
        (260.9982750715732, 265.56428113118574, 512),
        (257.57590843455716, 258.12398882923264, 512),
        (267.1502180271136, 637.0, 2035),
        (255.354141760409, 673.0, 2074),
    ];
    for (task, expected) in val.chunks(2).enumerate() {
        for (batch, expected) in data.val_batches(task).unwrap().iter().zip(expected) {
            assert_batch(&format!("validation of {}", algorithms[task]), batch, *expected);
        }
    }
}
