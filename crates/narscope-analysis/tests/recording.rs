//! Recordings read back what was recorded, and no damage to them goes unnoticed as a panic.

use std::path::Path;

use narscope_analysis::analysed::AnalysedModel;
use narscope_analysis::recording::{KeptLogits, Settings, read, write};
use narscope_clrs::options::Options;
use narscope_files::atomic::Existing;
use narscope_model::config::Draft;
use narscope_model::pooling::Pooling;
use narscope_model::rollout::NoHook;
use narscope_model::run::{Run, Which};
use narscope_model::train::Trainer;
use narscope_model::trajectory::RecordOptions;
use proptest::prelude::{any, prop_assert, proptest};

/// A network with the weights that it starts from.
fn model(folder: &Path) -> AnalysedModel {
    let config = "algorithms = ['bellman_ford']\nprocessor_type = 'linear_pgn'\nhidden_size = 4";
    let config = Draft::parse(config).unwrap().finish().unwrap();
    let weights = Trainer::new(&config).unwrap().weights;
    let run = Run::install(&folder.join("run"), config, weights).unwrap();
    AnalysedModel::open(&run.path, Which::Best, None).unwrap()
}

fn recorded(folder: &Path, kept: Pooling) -> Vec<u8> {
    let model = model(folder);
    let traces = model.draw(5, &Options::default(), 1, 20).unwrap();
    let path = folder.join("recording");
    let settings = Settings { hidden: Some(kept), ..Settings::default() };
    write(&path, Existing::Keep, &model, &traces, &settings, &mut |_| true).unwrap();
    std::fs::read(path).unwrap()
}

#[test]
fn what_was_recorded_reads_back() {
    let folder = tempfile::tempdir().unwrap();
    let model = model(folder.path());
    let traces = model.draw(5, &Options::default(), 1, 20).unwrap();
    for (kept, read_as) in [
        (Pooling::Max, Pooling::Max),
        (Pooling::Mean, Pooling::Mean),
        (Pooling::All, Pooling::Each),
    ] {
        let path = folder.path().join(format!("{kept:?}"));
        let settings = Settings {
            hidden: Some(kept),
            classes: Some(4),
            logits: KeptLogits::EveryStep,
            losses: vec![("loss".to_owned(), 0.5)],
            ..Settings::default()
        };
        write(&path, Existing::Keep, &model, &traces, &settings, &mut |_| true).unwrap();
        let back = read(&path).unwrap();
        let wanted = RecordOptions { pooling: read_as, ..RecordOptions::default() };
        let here = model.record(&traces, wanted, &mut NoHook, &mut |_| true).unwrap();
        assert_eq!(back.trajectories.states, here.states, "{kept:?}");
        assert_eq!(back.trajectories.truth.unpacked(), here.truth.unpacked(), "{kept:?}");
        assert_eq!(back.trajectories.predicted.unpacked(), here.predicted.unpacked(), "{kept:?}");
        assert_eq!(back.trajectories.scores, here.scores, "{kept:?}");
        assert_eq!(back.clusters.unwrap()[..6], [0, 1, 2, 3, 0, 1]);
    }
}

#[test]
fn an_interrupted_recording_goes_on_and_another_network_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let one = model(folder.path());
    let traces = one.draw(5, &Options::default(), 1, 600).unwrap();
    let path = folder.path().join("recording");
    let settings = Settings { hidden: Some(Pooling::Max), ..Settings::default() };
    let mut done = 0;
    let mut stop_soon = |samples| {
        done += samples;
        done < 350
    };
    let stopped = write(&path, Existing::Keep, &one, &traces, &settings, &mut stop_soon);
    assert!(matches!(stopped, Err(narscope_analysis::Error::Interrupted)), "{stopped:?}");
    assert!(!path.exists());

    let other = one.draw(5, &Options::default(), 2, 599).unwrap();
    let error = write(&path, Existing::Keep, &one, &other, &settings, &mut |_| true);
    assert!(error.unwrap_err().to_string().contains("another recording"));

    write(&path, Existing::Keep, &one, &traces, &settings, &mut |_| true).unwrap();
    assert_eq!(read(&path).unwrap().trajectories.len(), 600);
}

proptest! {
    #[test]
    fn damage_is_an_error_or_other_numbers_but_never_a_panic(
        place in any::<proptest::sample::Index>(),
        flip in 1u8..,
        cut in any::<proptest::sample::Index>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let whole = recorded(folder.path(), Pooling::Max);
        let path = folder.path().join("damaged");
        std::fs::write(&path, &whole[..cut.index(whole.len())]).unwrap();
        prop_assert!(read(&path).is_err(), "a file that was cut short");
        let mut damaged = whole;
        // Most of the file are numbers; the head is what can be misread.
        let place = place.index(4000.min(damaged.len()));
        damaged[place] ^= flip;
        std::fs::write(&path, &damaged).unwrap();
        let _ = read(&path);
    }
}
