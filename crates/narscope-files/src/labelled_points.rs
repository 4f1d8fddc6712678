//! Labelled points for viewers of embeddings: the TensorBoard projector and Embedding Atlas.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::Arc;

use parquet::data_type::{DoubleType, FloatType, Int32Type};
use parquet::errors::ParquetError;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use crate::atomic::{self, Existing};
use crate::{Error, Result};

/// Points with labels.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelledPoints {
    /// Number of dimensions.
    pub dimensions: usize,
    /// Coordinates of all points, point by point.
    pub vectors: Vec<f32>,
    /// Names of labels, each with a value per point.
    pub labels: Vec<(&'static str, Labels)>,
}

/// A value per point.
#[derive(Clone, Debug, PartialEq)]
pub enum Labels {
    /// Integers.
    Integer(Vec<i32>),
    /// Floats.
    Real(Vec<f64>),
}

impl Labels {
    fn text(&self, point: usize) -> String {
        match self {
            Self::Integer(all) => all[point].to_string(),
            Self::Real(all) => all[point].to_string(),
        }
    }
}

impl LabelledPoints {
    fn points(&self) -> impl Iterator<Item = &[f32]> {
        self.vectors.chunks_exact(self.dimensions)
    }

    /// Writes a folder for the projector of `tensorboard --logdir`.
    pub fn write_projector(&self, folder: &Path, existing: Existing) -> Result<()> {
        const CONFIG: &str = "embeddings {\n  tensor_name: \"hidden\"\n  tensor_path: \"tensors.tsv\"\n  metadata_path: \"metadata.tsv\"\n}\n";
        let [tensors, metadata, config] =
            ["tensors.tsv", "metadata.tsv", "projector_config.pbtxt"].map(|name| folder.join(name));
        std::fs::create_dir_all(folder).map_err(Error::io("write", folder))?;
        for path in [&tensors, &metadata, &config] {
            atomic::check(path, existing)?;
        }
        let tab_separated = |items: &mut dyn Iterator<Item = String>| {
            let mut line = items.collect::<Vec<_>>().join("\t");
            line.push('\n');
            line
        };
        atomic::write(&tensors, existing, |file| {
            self.points().try_for_each(|point| {
                file.write_all(tab_separated(&mut point.iter().map(f32::to_string)).as_bytes())
            })
        })?;
        atomic::write(&metadata, existing, |file| {
            let header = tab_separated(&mut self.labels.iter().map(|(name, _)| (*name).to_owned()));
            file.write_all(header.as_bytes())?;
            (0..self.points().count()).try_for_each(|point| {
                let labels = &mut self.labels.iter().map(|(_, label)| label.text(point));
                file.write_all(tab_separated(labels).as_bytes())
            })
        })?;
        atomic::write(&config, existing, |file| file.write_all(CONFIG.as_bytes()))
    }

    /// Writes a `.parquet` table with a column per label and a column `vector`.
    pub fn write_parquet(&self, path: &Path, existing: Existing) -> Result<()> {
        atomic::write(path, existing, |file| self.parquet(file).map_err(io::Error::other))
    }

    fn parquet(&self, file: impl io::Write + Send) -> Result<(), ParquetError> {
        let mut schema = "message points {".to_owned();
        for (name, label) in &self.labels {
            let kind = match label {
                Labels::Integer(_) => "INT32",
                Labels::Real(_) => "DOUBLE",
            };
            let _ = write!(schema, " REQUIRED {kind} {name};");
        }
        schema +=
            " REQUIRED GROUP vector (LIST) { REPEATED GROUP list { REQUIRED FLOAT element; } } }";
        let schema = Arc::new(parse_message_type(&schema)?);
        let mut writer = SerializedFileWriter::new(file, schema, Arc::default())?;
        let mut group = writer.next_row_group()?;
        for (_, label) in &self.labels {
            let mut column = next_column(&mut group)?;
            match label {
                Labels::Integer(all) => column.typed::<Int32Type>().write_batch(all, None, None)?,
                Labels::Real(all) => column.typed::<DoubleType>().write_batch(all, None, None)?,
            };
            column.close()?;
        }
        // Parquet nesting: every element is present (1), and the first one of each point starts a list (0).
        let definition = vec![1; self.vectors.len()];
        let repetition: Vec<i16> =
            (0..self.vectors.len()).map(|index| i16::from(index % self.dimensions != 0)).collect();
        let mut column = next_column(&mut group)?;
        let vectors = column.typed::<FloatType>();
        vectors.write_batch(&self.vectors, Some(&definition), Some(&repetition))?;
        column.close()?;
        group.close()?;
        writer.close()?;
        Ok(())
    }
}

type Column<'a> = parquet::file::writer::SerializedColumnWriter<'a>;

fn next_column<'a, W: io::Write + Send>(
    group: &'a mut SerializedRowGroupWriter<'_, W>,
) -> Result<Column<'a>, ParquetError> {
    Ok(group.next_column()?.expect("the schema has this column"))
}

#[cfg(test)]
mod tests {
    use parquet::file::reader::{FileReader as _, SerializedFileReader};

    use super::*;

    fn points() -> LabelledPoints {
        LabelledPoints {
            dimensions: 2,
            vectors: vec![0.5, 1.0, 2.5, 3.25],
            labels: vec![
                ("step", Labels::Integer(vec![1, 2])),
                ("score", Labels::Real(vec![0.25, 1.0])),
            ],
        }
    }

    #[test]
    fn parquet_tables_are_read_back_with_their_vectors() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("points.parquet");
        points().write_parquet(&path, Existing::Keep).unwrap();
        let reader = SerializedFileReader::new(std::fs::File::open(&path).unwrap()).unwrap();
        let rows: Vec<String> =
            reader.get_row_iter(None).unwrap().map(|row| row.unwrap().to_string()).collect();
        assert_eq!(
            rows,
            [
                "{step: 1, score: 0.25, vector: [0.5, 1.0]}",
                "{step: 2, score: 1.0, vector: [2.5, 3.25]}"
            ]
        );
        assert!(points().write_parquet(&path, Existing::Keep).is_err(), "the file exists");
    }

    #[test]
    fn the_projector_gets_a_line_per_point_and_a_header_of_labels() {
        let folder = tempfile::tempdir().unwrap();
        points().write_projector(folder.path(), Existing::Keep).unwrap();
        let text = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!(text("tensors.tsv"), "0.5\t1\n2.5\t3.25\n");
        assert_eq!(text("metadata.tsv"), "step\tscore\n1\t0.25\n2\t1\n");
        assert!(text("projector_config.pbtxt").contains("metadata_path"));
    }
}
