//! CSV, a line per cell.

use crate::table::Table;

pub(super) fn write(tables: &[Table]) -> String {
    const COLUMNS: &str = "algorithm,processor,variant,seeds,mean,std,low,high,paired_seeds,difference,difference_low,difference_high,p,p_corrected,paper_mean,paper_std";
    let mut lines = ::csv::Writer::from_writer(vec![]);
    lines.write_record(COLUMNS.split(',')).expect("writing to memory does not fail");
    for table in tables {
        for row in &table.rows {
            let cells = row.cells.iter().zip(&row.published).zip(&table.variants);
            for ((cell, paper), column) in cells {
                let text = |value: Option<f64>| value.map_or(String::new(), |x| x.to_string());
                let difference = cell.as_ref().and_then(|cell| cell.difference.as_ref());
                let interval = cell.as_ref().and_then(|cell| cell.interval);
                let fields = [
                    row.algorithm.clone(),
                    table.processor.clone(),
                    column.name.clone(),
                    cell.as_ref().map_or(0, |cell| cell.scores.len()).to_string(),
                    text(cell.as_ref().map(|cell| cell.mean)),
                    text(cell.as_ref().and_then(|cell| cell.std)),
                    text(interval.map(|(low, _)| low)),
                    text(interval.map(|(_, high)| high)),
                    difference.map_or(String::new(), |it| it.seeds.to_string()),
                    text(difference.map(|it| it.mean)),
                    text(difference.and_then(|it| Some(it.interval?.0))),
                    text(difference.and_then(|it| Some(it.interval?.1))),
                    text(difference.and_then(|it| it.p)),
                    text(difference.and_then(|it| it.corrected)),
                    text(paper.map(|paper| paper.value)),
                    text(paper.and_then(|paper| paper.std)),
                ];
                lines.write_record(fields).expect("writing to memory does not fail");
            }
        }
    }
    let bytes = lines.into_inner().expect("writing to memory does not fail");
    String::from_utf8(bytes).expect("fields are UTF-8")
}
