//! Which algorithm the answers of a network resemble: the right one, or a faulty variant of it.

use narscope_clrs::Entry;
use narscope_clrs::column::Column;
use narscope_clrs::instance::user::UserInstance;
use narscope_clrs::probe::Stage;
use serde::Serialize;

use crate::Result;
use crate::catalogue::variants_of;
use crate::frame::{Array, Bytes};
use crate::predicted::Predicted;

/// Agreement with one algorithm, per record.
#[derive(Debug, Serialize)]
pub(crate) struct Agreement {
    variant: &'static str,
    shares: Array,
}

/// Agreement of the outputs after each step with the final outputs of the algorithm and of each
/// faulty variant: the mean over the outputs of their score.
pub(crate) fn of(
    entry: &'static Entry,
    instance: &UserInstance,
    outputs: &[Predicted],
    bytes: &mut Bytes,
) -> Result<Vec<Agreement>> {
    let all = std::iter::once(entry).chain(variants_of(entry.name));
    let agreement = all.map(|variant| {
        let traces = variant.trace(instance)?;
        let truth = |output: &Predicted| -> Column {
            let probe = traces.find(Stage::Output, &output.probe.name);
            traces.columns[probe.expect("variants have the probes of the algorithm")].unpacked()
        };
        let truths: Vec<Column> = outputs.iter().map(truth).collect();
        let steps = outputs.first().map_or(0, |output| output.answers.len());
        let mut shares = vec![f32::NAN];
        shares.extend((0..steps).map(|step| {
            let scores = outputs.iter().zip(&truths).map(|(it, truth)| it.score(step, truth, 0));
            (scores.sum::<f64>() / outputs.len() as f64) as f32
        }));
        Ok(Agreement { variant: variant.name, shares: bytes.f32(&shares) })
    });
    agreement.collect()
}
