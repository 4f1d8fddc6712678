//! Variance of a grid of values that is due to its rows, to its columns, and to neither.
//!
//! The model is `value = mean + row + column + rest`, with one value per cell and random effects. The variances of the
//! effects are estimated from expected mean squares: that of the rows, for instance, is the variance of the rest plus
//! the number of columns times the variance of the row effects. Whether rows matter is tested by permutations within
//! columns, which keep the column effects as they are; and the other way around.

use std::collections::{BTreeMap, BTreeSet};

use narscope_clrs::rng::Rng;
use serde::{Deserialize, Serialize};

use super::exceedance;

/// A grid with a value in every cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// Names of the rows.
    pub rows: Vec<u32>,
    /// Names of the columns.
    pub columns: Vec<u32>,
    /// Values by row and column.
    pub values: Vec<Vec<f64>>,
}

/// Why values do not make a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GridError {
    /// Cells have no value.
    #[error("a grid needs a value in every cell, but {missing} of {cells} are missing")]
    Missing {
        /// Number of cells without a value.
        missing: usize,
        /// Number of cells.
        cells: usize,
    },
    /// A cell has two values.
    #[error("a grid needs one value in every cell, but row {row}, column {column} has two")]
    Twice {
        /// The row.
        row: u32,
        /// The column.
        column: u32,
    },
    /// Fewer than two rows or columns.
    #[error("a grid needs two rows and two columns, found {rows} and {columns}")]
    Small {
        /// Number of rows.
        rows: usize,
        /// Number of columns.
        columns: usize,
    },
}

/// Values by row and column, of which some may be missing.
#[derive(Clone, Debug, Default)]
struct Cells(BTreeMap<(u32, u32), f64>);

impl Cells {
    fn new(cells: &[(u32, u32, f64)]) -> Result<Self, GridError> {
        let mut all = BTreeMap::new();
        for &(row, column, value) in cells {
            if all.insert((row, column), value).is_some() {
                return Err(GridError::Twice { row, column });
            }
        }
        Ok(Self(all))
    }

    fn rows(&self) -> BTreeSet<u32> {
        self.0.keys().map(|cell| cell.0).collect()
    }

    fn columns(&self) -> BTreeSet<u32> {
        self.0.keys().map(|cell| cell.1).collect()
    }

    /// The rows with a value in every column.
    fn complete_rows(&self) -> Self {
        let columns = self.columns();
        let is_complete =
            |row: u32| columns.iter().all(|&column| self.0.contains_key(&(row, column)));
        Self(self.0.iter().filter(|(cell, _)| is_complete(cell.0)).map(|(k, v)| (*k, *v)).collect())
    }

    fn transposed(&self) -> Self {
        Self(self.0.iter().map(|(&(row, column), &value)| ((column, row), value)).collect())
    }

    fn grid(&self) -> Result<Grid, GridError> {
        let (rows, columns) = (self.rows(), self.columns());
        let cells = rows.len() * columns.len();
        if rows.len() < 2 || columns.len() < 2 {
            return Err(GridError::Small { rows: rows.len(), columns: columns.len() });
        }
        if self.0.len() < cells {
            return Err(GridError::Missing { missing: cells - self.0.len(), cells });
        }
        let row = |row: &u32| columns.iter().map(|column| self.0[&(*row, *column)]).collect();
        let values = rows.iter().map(row).collect();
        Ok(Grid {
            rows: rows.into_iter().collect(),
            columns: columns.into_iter().collect(),
            values,
        })
    }
}

impl Grid {
    /// The grid of values with their rows and columns.
    ///
    /// # Errors
    /// If a cell has no value or two, or if there are fewer than two rows or columns.
    pub fn of(cells: &[(u32, u32, f64)]) -> Result<Self, GridError> {
        Cells::new(cells)?.grid()
    }

    /// The larger of two grids: of the rows without missing cells, and of the columns without missing cells.
    ///
    /// # Errors
    /// If a cell has two values, or if neither has two rows and two columns.
    pub fn complete_part(cells: &[(u32, u32, f64)]) -> Result<Self, GridError> {
        let cells = Cells::new(cells)?;
        let by_row = cells.complete_rows();
        let by_column = cells.transposed().complete_rows().transposed();
        // The larger first; a grid of one row or column is none, however long.
        let [first, second] = if by_row.0.len() >= by_column.0.len() {
            [by_row, by_column]
        } else {
            [by_column, by_row]
        };
        first.grid().or_else(|_| second.grid()).map_err(|_| cells.grid().unwrap_err())
    }

    /// The same values with rows and columns exchanged.
    fn transposed(&self) -> Self {
        let column = |index: usize| self.values.iter().map(|row| row[index]).collect();
        Self {
            rows: self.columns.clone(),
            columns: self.rows.clone(),
            values: (0..self.columns.len()).map(column).collect(),
        }
    }
}

/// Part of the variance that is due to one factor.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Component {
    /// Estimated variance; zero if the estimate is negative.
    pub variance: f64,
    /// Its share of the sum of all estimated variances.
    pub share: f64,
    /// Probability of means that differ at least as much if the factor has no effect, by permutations; `None` for
    /// the rest.
    pub p: Option<f64>,
}

/// Variance due to rows, columns and neither.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct VarianceComponents {
    /// Due to rows.
    pub rows: Component,
    /// Due to columns.
    pub columns: Component,
    /// Due to neither: the interaction of both, and noise.
    pub rest: Component,
}

impl VarianceComponents {
    /// Estimates the variances of a grid, with `draws` permutations for each p-value. `None` if all values are equal.
    pub fn of(grid: &Grid, draws: usize, rng: &mut Rng) -> Option<Self> {
        let squares = MeanSquares::of(&grid.values);
        let (rows, columns) = (grid.rows.len() as f64, grid.columns.len() as f64);
        let variances = [
            ((squares.rows - squares.rest) / columns).max(0.0),
            ((squares.columns - squares.rest) / rows).max(0.0),
            squares.rest,
        ];
        let total: f64 = variances.iter().sum();
        if total <= f64::MIN_POSITIVE {
            return None;
        }
        let component = |index: usize, p: Option<f64>| Component {
            variance: variances[index],
            share: variances[index] / total,
            p,
        };
        Some(Self {
            rows: component(0, Some(p_of_rows(grid, draws, rng))),
            columns: component(1, Some(p_of_rows(&grid.transposed(), draws, rng))),
            rest: component(2, None),
        })
    }
}

/// Mean squares of a grid.
struct MeanSquares {
    rows: f64,
    columns: f64,
    rest: f64,
}

impl MeanSquares {
    fn of(values: &[Vec<f64>]) -> Self {
        let (rows, columns) = (values.len() as f64, values[0].len() as f64);
        let mean = values.iter().flatten().sum::<f64>() / (rows * columns);
        let row_means: Vec<f64> =
            values.iter().map(|row| row.iter().sum::<f64>() / columns).collect();
        let column_mean = |index: usize| values.iter().map(|row| row[index]).sum::<f64>() / rows;
        let column_means: Vec<f64> = (0..values[0].len()).map(column_mean).collect();
        let squares = |means: &[f64]| means.iter().map(|it| (it - mean).powi(2)).sum::<f64>();
        let rest = values.iter().zip(&row_means).flat_map(|(row, row_mean)| {
            let cells = row.iter().zip(&column_means);
            cells.map(move |(value, column_mean)| (value - row_mean - column_mean + mean).powi(2))
        });
        Self {
            rows: columns * squares(&row_means) / (rows - 1.0),
            columns: rows * squares(&column_means) / (columns - 1.0),
            rest: rest.sum::<f64>() / ((rows - 1.0) * (columns - 1.0)),
        }
    }
}

/// Permutes the values of every column. That changes neither the column means nor the total, so the spread of the row
/// sums orders permutations as the ratio of mean squares does.
fn p_of_rows(grid: &Grid, draws: usize, rng: &mut Rng) -> f64 {
    /// Sums are added up in another order after a permutation.
    const ROUNDING: f64 = 1e-12;
    let spread = |columns: &[Vec<f64>]| -> f64 {
        let sum = |row: usize| columns.iter().map(|column| column[row]).sum::<f64>();
        (0..grid.rows.len()).map(|row| sum(row).powi(2)).sum()
    };
    let mut columns = grid.transposed().values;
    let mean = columns.iter().flatten().sum::<f64>() / columns.concat().len() as f64;
    columns.iter_mut().flatten().for_each(|value| *value -= mean);
    let observed = spread(&columns) * (1.0 - ROUNDING);
    let simulated = (0..draws).map(|_| {
        for column in &mut columns {
            let order = rng.permutation(column.len());
            *column = order.into_iter().map(|row| column[row]).collect();
        }
        spread(&columns)
    });
    exceedance(observed, simulated.collect::<Vec<f64>>())
}

#[cfg(test)]
mod tests {
    use super::super::normal;
    use super::*;

    /// A grid of `row + column + rest`.
    fn cells(rows: u32, columns: u32, of: impl Fn(u32, u32) -> f64) -> Vec<(u32, u32, f64)> {
        let of = &of;
        let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        cells.map(|(row, column)| (row, column, of(row, column))).collect()
    }

    #[test]
    fn variances_of_drawn_effects_are_found() {
        let mut rng = Rng::seeded(2);
        let effects = |deviation: f64, count: usize, rng: &mut Rng| -> Vec<f64> {
            (0..count).map(|_| deviation * normal(rng)).collect()
        };
        let (of_rows, of_columns) = (effects(2.0, 60, &mut rng), effects(1.0, 50, &mut rng));
        let rest = effects(0.5, 3000, &mut rng);
        let all = cells(60, 50, |row, column| {
            let (row, column) = (row as usize, column as usize);
            of_rows[row] + of_columns[column] + rest[50 * row + column]
        });
        let found =
            VarianceComponents::of(&Grid::of(&all).unwrap(), 199, &mut Rng::seeded(3)).unwrap();
        assert!((found.rows.variance - 4.0).abs() < 1.5, "{found:?}");
        assert!((found.columns.variance - 1.0).abs() < 0.5, "{found:?}");
        assert!((found.rest.variance - 0.25).abs() < 0.02, "{found:?}");
        let shares = found.rows.share + found.columns.share + found.rest.share;
        assert!((shares - 1.0).abs() < 1e-12);
        assert_eq!((found.rows.p, found.columns.p, found.rest.p), (Some(0.005), Some(0.005), None));
    }

    #[test]
    fn mean_squares_of_a_textbook_grid_are_exact() {
        // Rows differ by 2, columns by 1, and one cell by 4 from the sum of both.
        let squares = MeanSquares::of(&[vec![0.0, 1.0], vec![2.0, 7.0]]);
        assert_eq!((squares.rows, squares.columns, squares.rest), (16.0, 9.0, 4.0));
    }

    #[test]
    fn a_factor_without_effect_has_no_share_and_a_large_p_value() {
        let by_row =
            |row: u32, column: u32| f64::from(row) + 0.01 * f64::from((3 * row + column) % 5);
        let grid = Grid::of(&cells(6, 5, by_row)).unwrap();
        let found = VarianceComponents::of(&grid, 499, &mut Rng::seeded(1)).unwrap();
        assert!(found.rows.share > 0.99 && found.rows.p.unwrap() < 0.01, "{found:?}");
        assert!(found.columns.share < 0.01 && found.columns.p.unwrap() > 0.2, "{found:?}");
        let turned = VarianceComponents::of(&grid.transposed(), 499, &mut Rng::seeded(1)).unwrap();
        assert!((turned.columns.variance - found.rows.variance).abs() < 1e-12);
        let equal = Grid::of(&cells(2, 2, |_, _| 0.5)).unwrap();
        assert_eq!(VarianceComponents::of(&equal, 9, &mut Rng::seeded(1)), None);
    }

    #[test]
    fn missing_cells_are_refused_with_their_number_and_complete_rows_remain() {
        let mut all = cells(4, 3, |row, column| f64::from(row * 3 + column));
        all.retain(|&(row, column, _)| (row, column) != (1, 2));
        let error = Grid::of(&all).unwrap_err().to_string();
        assert_eq!(error, "a grid needs a value in every cell, but 1 of 12 are missing");
        let part = Grid::complete_part(&all).unwrap();
        assert_eq!((part.rows, part.columns), (vec![0, 2, 3], vec![0, 1, 2]));
        assert_eq!(part.values[1], [6.0, 7.0, 8.0]);
        // Of a column that has begun, only the other columns are complete.
        all.retain(|&(row, column, _)| column < 2 || row == 0);
        assert_eq!(Grid::complete_part(&all).unwrap().columns, [0, 1]);
    }

    #[test]
    fn a_cell_with_two_values_and_a_single_row_are_refused() {
        let twice = Grid::complete_part(&[(1, 2, 0.5), (1, 2, 0.5)]).unwrap_err().to_string();
        assert_eq!(twice, "a grid needs one value in every cell, but row 1, column 2 has two");
        let small = Grid::complete_part(&[(1, 2, 0.5), (1, 3, 0.5)]).unwrap_err().to_string();
        assert_eq!(small, "a grid needs two rows and two columns, found 1 and 2");
    }
}
