//! Judged claims as text.

use super::{ClaimResult, PartResult, Verdict};

/// How often each verdict was given, in the order of [`Verdict::ALL`], without those that were not.
pub fn counts(results: &[ClaimResult]) -> Vec<(Verdict, usize)> {
    let count = |verdict| results.iter().filter(|it| it.verdict == verdict).count();
    Verdict::ALL.into_iter().map(|it| (it, count(it))).filter(|(_, count)| *count > 0).collect()
}

/// The verdicts in a sentence: `22 verdicts on 20 claims: 9 confirmed, 4 refuted, …`.
pub fn sentence(results: &[ClaimResult]) -> String {
    if results.is_empty() {
        return "no claim of the paper is judged: no network was trained and analysed as the paper's"
            .to_owned();
    }
    let mut claims: Vec<&str> = results.iter().map(|it| it.id).collect();
    claims.dedup();
    let counts = counts(results).into_iter().map(|(it, count)| format!("{count} {}", it.words()));
    let counts = counts.collect::<Vec<_>>().join(", ");
    format!("{} verdicts on {} claims: {counts}", results.len(), claims.len())
}

/// One line per claim, for terminals.
pub fn verdicts(results: &[ClaimResult]) -> String {
    let lines = results.iter().map(|it| {
        let protocol = it.protocol.map_or(String::new(), |protocol| format!(" ({protocol})"));
        let ours = it.parts[0].ours();
        format!("{:>14}  {}{protocol}: {ours}\n", it.verdict.words(), it.claim)
    });
    format!("{}{}", lines.collect::<String>(), sentence(results))
}

/// All claims as a table, then all parts as another one.
pub fn write(results: &[ClaimResult]) -> String {
    let claims = results.iter().map(|it| {
        let ClaimResult { claim, place, verdict, seeds, parts, .. } = it;
        let (protocol, ours) = (protocol(it), parts[0].ours());
        let words = verdict.words();
        format!("| {claim} | {place} | {protocol} | {} | {ours} | **{words}** |\n", seeds.len())
    });
    let parts = results.iter().flat_map(|it| it.parts.iter().map(move |part| (it, part)));
    let parts = parts.map(|(claim, part)| {
        let PartResult { network, quantity, criterion, verdict, note, .. } = part;
        let verdict = match note {
            Some(note) => format!("{}: {note}", verdict.words()),
            None => verdict.words().to_owned(),
        };
        let (id, protocol, ours) = (claim.id, protocol(claim), part.ours());
        let values = values(part);
        format!("| {id} | {protocol} | {network} | {quantity} | {ours} | {criterion} | {verdict} | {values} |\n")
    });
    let head = "| claim | place | protocol | seeds | mean and interval | verdict |\n\
                | --- | --- | --- | ---: | ---: | --- |\n";
    let head_of_parts = "\n| claim | protocol | network | quantity | mean and interval | criterion | verdict | every seed |\n\
         | --- | --- | --- | --- | ---: | --- | --- | --- |\n";
    let title = format!("{}.\n\n{head}", sentence(results));
    let all = std::iter::once(title).chain(claims);
    all.chain(std::iter::once(head_of_parts.to_owned())).chain(parts).collect()
}

/// The protocol of a claim in words.
pub fn protocol(claim: &ClaimResult) -> &'static str {
    claim.protocol.map_or("both", |it| it.name())
}

/// The value of every seed.
pub fn values(part: &PartResult) -> String {
    let each =
        part.seeds.iter().zip(&part.values).map(|(seed, value)| {
            format!("{seed}: {}", super::result::number(*value, part.is_share))
        });
    each.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_claim_and_every_part_has_a_row() {
        let results = super::super::judge(&[]);
        let text = write(&results);
        let parts: usize = results.iter().map(|it| it.parts.len()).sum();
        // A sentence, two heads of two lines, and two empty lines.
        assert_eq!(text.lines().count(), results.len() + parts + 7, "{text}");
        let claims = super::super::paper::CLAIMS.len();
        let all = results.len();
        assert_eq!(
            sentence(&results),
            format!("{all} verdicts on {claims} claims: {all} not comparable")
        );
    }
}
