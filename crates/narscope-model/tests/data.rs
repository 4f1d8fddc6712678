//! A run learns from the very samples that the reference's run script would show it.

#![expect(clippy::unreadable_literal, reason = "as Python printed them")]

use narscope_clrs::column::Row;
use narscope_clrs::probe::Stage;
use narscope_clrs::trace::Traces;
use narscope_model::Spec;
use narscope_model::config::Draft;
use narscope_model::data::Data;

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
/// off, its flags' defaults, and a batch of each validation set drawn first, as its main function does.
#[test]
fn batches_are_those_of_the_run_script() {
    let algorithms = ["bellman_ford", "insertion_sort", "bridges"];
    let text = format!("algorithms = {algorithms:?}");
    let config = Draft::parse(&text).unwrap().finish().unwrap();
    let mut data = Data::new(&config, &Spec::all(&config).unwrap()).unwrap();
    let train = [
        (61.00860744927499, 85.3471618061354, 54),
        (60.505459410375735, 63.00573929657908, 128),
        (63.4222299744909, 63.0, 407),
        (111.15116272398745, 246.41622079807462, 77),
        (111.82705781549794, 106.70144617744609, 224),
        (110.14728726226758, 146.0, 743),
        (185.19115312191457, 580.0760680495797, 112),
        (179.80682500213834, 180.3600487318647, 352),
        (185.65902168274755, 272.0, 1219),
        (196.6879805002825, 919.2508992262517, 115),
        (205.73402958821484, 205.90659727569465, 416),
        (207.3941163477041, 434.0, 1554),
        (246.5277292987438, 1113.7481600549522, 121),
        (250.30179762282242, 259.21656213210804, 512),
        (254.320578763609, 832.0, 2230),
        (66.05009899611804, 102.94687290858255, 60),
        (65.5964393133793, 66.47387918837279, 128),
        (62.119253051385115, 48.0, 398),
    ];
    for (i, expected) in train.into_iter().enumerate() {
        let (step, task) = (i / 3, i % 3);
        let batch = data.train_batch(task, step).unwrap();
        assert_batch(&format!("step {step}, {}", algorithms[task]), &batch, expected);
    }
    let val = [
        (257.57590843455716, 1547.437324967686, 147),
        (267.1502180271136, 1486.536199933355, 142),
        (255.354141760409, 258.12398882923264, 512),
        (255.29422594629386, 266.4994629763703, 512),
        (261.1958840238983, 673.0, 2074),
        (247.41240171201713, 786.0, 2174),
    ];
    for (task, expected) in val.chunks(2).enumerate() {
        let batches = data.val_batches(task).unwrap();
        assert_eq!(batches.len(), expected.len(), "validation batches of {}", algorithms[task]);
        for (batch, expected) in batches.iter().zip(expected) {
            assert_batch(&format!("validation of {}", algorithms[task]), batch, *expected);
        }
    }
}
