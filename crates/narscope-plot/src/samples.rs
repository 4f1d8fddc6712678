//! A picture per mark, for the tests and for `cargo run -p narscope-plot --example gallery`.

use narscope_plot::{
    Arrows, Axis, Bars, Colour, ColourBar, Dots, Edge, Entry, ErrorBars, Estimate, Format, Graph,
    Heatmap, Histogram, Key, Line, Line3d, Marker, Node, Note, Panel, Picture, Point3d, Points,
    Reference, Series, Space, Spacing, Width,
};

/// All pictures with their names.
pub(crate) fn all() -> Vec<(&'static str, Picture)> {
    vec![
        ("lines", lines()),
        ("many-lines", many_lines()),
        ("clusters", clusters()),
        ("dense", dense()),
        ("seeds", seeds()),
        ("dots", dots()),
        ("bars", bars()),
        ("long-names", long_names()),
        ("histograms", histograms()),
        ("heatmap", heatmap()),
        ("arrows", arrows()),
        ("space", space()),
        ("graph", graph()),
        ("cities", cities()),
        ("sixty-nodes", sixty_nodes()),
        ("growth", growth()),
    ]
}

/// Numbers between 0 and 1 that look random and are always the same.
pub(crate) fn numbers(seed: u64) -> impl Iterator<Item = f64> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64
    })
}

/// The same, around 0, in the shape of a bell.
fn bell(seed: u64) -> impl Iterator<Item = f64> {
    let mut numbers = numbers(seed);
    std::iter::repeat_with(move || numbers.by_ref().take(12).sum::<f64>() - 6.0)
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn curve(rate: f64, top: f64) -> Vec<(f64, f64)> {
    (0..=20).map(|i| 500.0 * f64::from(i)).map(|x| (x, top * (1.0 - (-rate * x).exp()))).collect()
}

fn lines() -> Picture {
    let line = |index: usize, name: &str, rate: f64, top: f64| {
        let points = curve(rate, top);
        let band = points.iter().map(|&(_, y)| ((y - 0.06).max(0.0), (y + 0.03).min(1.0)));
        let band = band.collect();
        Line::new(points, Colour::Category(index)).named(name).band(band).into()
    };
    Picture {
        title: "Triplets learn fastest; the linear network ends at 91 %".to_owned(),
        panels: vec![Panel {
            x: Axis::new("training step"),
            y: Axis::percent("validation score").range(0.0, 1.0),
            marks: vec![
                line(0, "mpnn", 0.0004, 0.97),
                line(1, "triplet mpnn", 0.0012, 1.0),
                line(2, "linear pgn", 0.0007, 0.91),
                Reference::x(4000.0, "learning rate halves").into(),
            ],
            ..Panel::default()
        }],
        width: Width::Single,
        caption: "Mean of five seeds; bands are 95 % intervals.".to_owned(),
        ..Picture::default()
    }
}

fn many_lines() -> Picture {
    let panel = |title: &str, shift: f64, count: usize| Panel {
        title: title.to_owned(),
        x: Axis::integers("components"),
        y: Axis::percent("explained variance"),
        marks: (0..count)
            .map(|index| {
                let rate = 0.4 + 0.15 * index as f64 + shift;
                let points = (1..=8).map(|i| (f64::from(i), 1.0 - (-rate * f64::from(i)).exp()));
                let line = Line::new(points.collect(), Colour::Category(index)).marked();
                line.named(["max", "mean", "min", "sum"][index]).into()
            })
            .chain([Reference::y(0.9, "90 %").into()])
            .collect(),
        ..Panel::default()
    };
    Picture {
        title: "Three components hold most of the variance in every network".to_owned(),
        columns: 3,
        panels: vec![
            panel("step-wise", 0.0, 4),
            panel("trajectory-wise", 0.4, 4),
            panel("after training with noise", 0.2, 3),
        ],
        ..Picture::default()
    }
}

fn cloud(seed: u64, count: usize, at: (f64, f64), size: f64) -> Vec<(f64, f64)> {
    let (x, y) = (bell(seed), bell(seed + 77));
    x.zip(y).take(count).map(|(x, y)| (at.0 + size * x, at.1 + size * y)).collect()
}

fn clusters() -> Picture {
    let many = 48;
    let centres: Vec<(f64, f64)> =
        numbers(5).zip(numbers(6)).take(many).map(|(x, y)| (20.0 * x, 20.0 * y)).collect();
    let of_many = centres.iter().enumerate().map(|(index, centre)| {
        let points = cloud(index as u64 + 1, 12, *centre, 0.5);
        Points::new(points, Colour::Many(index, many)).into()
    });
    let of_few = (0..4).map(|class| {
        let points = cloud(class as u64 + 90, 120, (class as f64, 0.5 * class as f64), 1.0);
        Points::new(points, Colour::Category(class)).named(format!("class {}", class + 1)).into()
    });
    let axes = |title: &str, marks| Panel {
        title: title.to_owned(),
        x: Axis::new("component 1"),
        y: Axis::new("component 2"),
        marks,
        equal: true,
        ..Panel::default()
    };
    Picture {
        title: "Symmetric graphs fall into clusters that training keeps apart".to_owned(),
        columns: 2,
        panels: vec![
            axes("48 clusters", of_many.collect()),
            axes("four classes overlap", of_few.collect()),
        ],
        ..Picture::default()
    }
}

fn dense() -> Picture {
    let steps = 8;
    let mut marks = vec![];
    for step in 0..steps {
        let share = step as f64 / (steps - 1) as f64;
        let centre = (6.0 * share, 3.0 * (3.0 * share).sin());
        let points = cloud(step as u64 + 3, 1500, centre, 1.0 - 0.7 * share);
        marks.push(Points::new(points, Colour::Scale(share)).into());
    }
    let diagonal = cloud(21, 400, (0.5, 0.5), 0.1);
    Picture {
        title: "States converge: 12,000 points as one bitmap".to_owned(),
        columns: 2,
        panels: vec![
            Panel {
                title: "all graphs".to_owned(),
                x: Axis::new("component 1"),
                y: Axis::new("component 2"),
                marks,
                colour_bar: Some(ColourBar::steps(steps)),
                ..Panel::default()
            },
            Panel {
                title: "predicted and true distance".to_owned(),
                x: Axis::new("true distance").range(0.0, 1.0),
                y: Axis::new("predicted distance").range(0.0, 1.0),
                marks: vec![
                    Points::new(diagonal, Colour::Correct).into(),
                    Reference::diagonal("equal").into(),
                ],
                equal: true,
                ..Panel::default()
            },
        ],
        ..Picture::default()
    }
}

fn estimate(mean: f64, by: f64, seed: u64) -> Estimate {
    let seeds: Vec<f64> =
        numbers(seed).take(5).map(|it| (mean + by * (it - 0.5)).clamp(0.0, 1.0)).collect();
    let mean = seeds.iter().sum::<f64>() / 5.0;
    let interval = ((mean - 0.4 * by).max(0.0), (mean + 0.3 * by).min(1.0));
    Estimate::new(mean).interval(Some(interval)).seeds(seeds)
}

fn seeds() -> Picture {
    let of = |seed: u64, drop: f64| {
        let points = (0..6).map(|i| {
            (16.0 * f64::from(1 << i), estimate(1.0 - drop * f64::from(i), 0.08, seed + i as u64))
        });
        points.collect::<Vec<_>>()
    };
    Picture {
        title: "Larger graphs cost the linear network twice as much".to_owned(),
        panels: vec![Panel {
            x: Axis::new("nodes").spacing(Spacing::Log2),
            y: Axis::percent("score"),
            marks: vec![
                ErrorBars::new(of(7, 0.03), Colour::Category(0)).named("mpnn").into(),
                ErrorBars::new(of(31, 0.07), Colour::Category(1)).named("linear pgn").into(),
            ],
            note: "five seeds each".to_owned(),
            ..Panel::default()
        }],
        width: Width::Single,
        ..Picture::default()
    }
}

fn dots() -> Picture {
    let rows = [
        "activity_selector",
        "articulation_points",
        "bellman_ford",
        "bfs",
        "binary_search",
        "find_maximum_subarray_kadane",
        "floyd_warshall",
        "strongly_connected_components",
    ];
    let series = |index: usize, name: &str| {
        let values = (0..rows.len()).map(|row| {
            let mean = 1.0 - 0.1 * row as f64 - 0.02 * index as f64;
            (row != 3 || index != 1).then(|| estimate(mean, 0.12, (10 * index + row) as u64 + 1))
        });
        Series::new(name, Colour::Category(index), values.collect())
    };
    let published = (0..rows.len()).map(|row| {
        let mean = 0.98 - 0.11 * row as f64;
        Some(Estimate::new(mean).interval(Some((mean - 0.03, mean + 0.03))))
    });
    let published = Series::new("published", Colour::Text, published.collect());
    Picture {
        title: "Decay helps where runs are long".to_owned(),
        panels: vec![Panel {
            x: Axis::percent("test score").range(0.0, 1.0),
            marks: vec![
                Dots::new(
                    names(&rows),
                    vec![
                        series(0, "baseline"),
                        series(1, "decay"),
                        published.marker(Marker::Diamond),
                    ],
                )
                .into(),
            ],
            ..Panel::default()
        }],
        width: Width::Single,
        ..Picture::default()
    }
}

fn bars() -> Picture {
    let series = |index: usize, name: &str, means: [f64; 2]| {
        let values = means.iter().enumerate();
        let values =
            values.map(|(at, mean)| Some(estimate(*mean, 0.06, (7 * index + at) as u64 + 2)));
        Series::new(name, Colour::Category(index), values.collect())
    };
    let groups = names(&["elements of outputs", "whole outputs"]);
    let bars = Bars::new(
        groups.clone(),
        vec![
            series(0, "same as the algorithm", [0.97, 0.81]),
            series(1, "valid solution", [0.99, 0.93]),
        ],
    );
    let alone = Bars::new(
        names(&["all", "directed", "weighted"]),
        vec![Series::new(
            "exact",
            Colour::Category(2),
            [1.0, 0.62, 0.375].map(|it| Some(Estimate::new(it))).to_vec(),
        )],
    );
    Picture {
        title: "Most outputs that differ from the algorithm are valid".to_owned(),
        columns: 2,
        panels: vec![
            Panel {
                title: "by output".to_owned(),
                y: Axis::percent("share").range(0.0, 1.0),
                marks: vec![bars.into()],
                ..Panel::default()
            },
            Panel {
                title: "by kind of graph".to_owned(),
                y: Axis::percent("exact").range(0.0, 1.0),
                marks: vec![alone.with_values(Format::Percent).into()],
                ..Panel::default()
            },
        ],
        ..Picture::default()
    }
}

fn long_names() -> Picture {
    let groups = names(&[
        "find_maximum_subarray_kadane",
        "strongly_connected_components",
        "lcs_length",
        "optimal_bst",
        "quickselect",
        "articulation_points",
        "naive_string_matcher",
    ]);
    let values = numbers(3).take(groups.len()).map(|it| Some(Estimate::new(it - 0.3)));
    Picture {
        title: "Names that do not fit side by side are slanted <&>".to_owned(),
        panels: vec![Panel {
            y: Axis::percent("difference from the baseline in the score on test data"),
            marks: vec![
                Bars::new(
                    groups,
                    vec![Series::new("decay", Colour::Category(0), values.collect())],
                )
                .into(),
            ],
            ..Panel::default()
        }],
        width: Width::Single,
        ..Picture::default()
    }
}

fn histograms() -> Picture {
    let edges: Vec<f64> = (0..=24).map(|edge| 0.25 * f64::from(edge) - 3.0).collect();
    let of = |seed: u64, by: f64, colour, name: &str| {
        let values: Vec<f64> = bell(seed).take(900).map(|it| it + by).collect();
        Histogram::between(&values, edges.clone(), colour).named(name)
    };
    let (correct, wrong) =
        (of(1, -0.8, Colour::Correct, "correct"), of(2, 0.9, Colour::Wrong, "wrong"));
    let outline = |histogram: &Histogram| histogram.clone().outline().into();
    Picture {
        title: "Wrong predictions lie farther from the centre".to_owned(),
        columns: 3,
        panels: vec![
            Panel {
                title: "overlaid".to_owned(),
                x: Axis::new("distance"),
                y: Axis::new("graphs"),
                marks: vec![correct.clone().into(), wrong.clone().into()],
                ..Panel::default()
            },
            Panel {
                title: "stacked".to_owned(),
                x: Axis::new("distance"),
                y: Axis::new("graphs"),
                marks: vec![correct.clone().into(), wrong.clone().stacked_on(&correct).into()],
                ..Panel::default()
            },
            Panel {
                title: "outlines".to_owned(),
                x: Axis::new("distance"),
                y: Axis::new("graphs"),
                marks: vec![outline(&correct), outline(&wrong)],
                ..Panel::default()
            },
        ],
        ..Picture::default()
    }
}

fn heatmap() -> Picture {
    let rows = names(&["linear pgn", "triplet mpnn", "mpnn", "gat"]);
    let columns = names(&["none", "noise", "decay", "noise and decay", "softmax"]);
    let values =
        (0..4).map(|row| numbers(row + 11).take(5).map(|it| 0.5 + 0.5 * it).collect::<Vec<f64>>());
    let mut values: Vec<Vec<f64>> = values.collect();
    values[2][3] = f64::NAN;
    Picture {
        title: "Decay with noise is best for every processor".to_owned(),
        panels: vec![Panel {
            x: Axis::new("training"),
            y: Axis::new("processor"),
            marks: vec![Heatmap::new(values, rows, columns).label("score", Format::Percent).into()],
            ..Panel::default()
        }],
        width: Width::Single,
        ..Picture::default()
    }
}

fn arrows() -> Picture {
    let starts = cloud(3, 40, (0.0, 0.0), 1.5);
    let arrows = starts
        .iter()
        .enumerate()
        .map(|(index, &(x, y))| ((x, y), (x - 0.3 * y, y + 0.3 * x), Colour::Many(index, 40)));
    let marks = vec![Arrows::new(arrows.collect()).into(), Note::new((0.0, 0.0), "centre").into()];
    Picture {
        title: "Clusters turn around the centre".to_owned(),
        panels: vec![Panel {
            x: Axis::new("component 1 (41 %)"),
            y: Axis::new("component 2 (23 %)"),
            marks,
            equal: true,
            ..Panel::default()
        }],
        width: Width::Single,
        ..Picture::default()
    }
}

fn trajectories(count: usize) -> Space {
    let steps = 7;
    let (mut points, mut lines) = (vec![], vec![]);
    for graph in 0..count {
        let noise: Vec<f64> = bell(graph as u64 + 1).take(3).collect();
        let line: Vec<[f32; 3]> = (0..steps)
            .map(|step| {
                let share = f64::from(step) / f64::from(steps - 1);
                let spread = 1.5 - 1.1 * share;
                [
                    (8.0 * share + spread * noise[0]) as f32,
                    (4.0 * (2.6 * share).sin() + spread * noise[1]) as f32,
                    (0.05 * (1.0 - share) * noise[2] - 0.02 * share) as f32,
                ]
            })
            .collect();
        for (step, position) in line.iter().enumerate() {
            let colour = Colour::Scale(step as f64 / f64::from(steps - 1));
            points.push(Point3d { position: *position, colour });
        }
        if count <= 60 {
            lines.push(Line3d { points: line, colour: Colour::Trajectory });
        }
    }
    Space::new(points, lines)
}

fn space() -> Picture {
    let panel = |title: &str, space: Space| Panel {
        title: title.to_owned(),
        marks: vec![space.into()],
        colour_bar: Some(ColourBar::steps(7)),
        ..Panel::default()
    };
    let axes = ["component 1 (64 %)", "component 2 (21 %)", "component 3 (6 %)"];
    let flat = Panel {
        title: "first component".to_owned(),
        x: Axis::integers("step"),
        y: Axis::new("component 1"),
        marks: vec![
            Line::new(
                (1..=7).map(|it| (f64::from(it), f64::from(it).sqrt())).collect(),
                Colour::Trajectory,
            )
            .thin()
            .into(),
        ],
        colour_bar: Some(ColourBar::steps(7)),
        ..Panel::default()
    };
    Picture {
        title: "Trajectories run along one surface to one end".to_owned(),
        columns: 3,
        panels: vec![
            flat,
            panel("40 graphs", trajectories(40).axes(axes)),
            panel("600 graphs", trajectories(600).axes(axes)),
        ],
        ..Picture::default()
    }
}

fn graph_legend() -> Vec<Entry> {
    vec![
        Entry::new("source", Colour::Source, Key::Node),
        Entry::new("found", Colour::Found, Key::Line),
        Entry::new("missed", Colour::Missed, Key::Line),
        Entry::new("wrong", Colour::Wrong, Key::Dashes),
    ]
}

fn graph() -> Picture {
    let ends = [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (4, 5), (5, 6), (4, 6), (2, 7), (7, 6)];
    let panel = |step: usize| {
        let edges = ends.iter().enumerate().map(|(index, &(from, to))| {
            let edge = Edge::new(from, to).label(format!("0.{}", 3 + index % 6)).arrow();
            match (index + step) % 4 {
                0 => edge.drawn(Colour::Found, 2.0),
                1 => edge.drawn(Colour::Missed, 2.0),
                2 if step > 0 => edge.drawn(Colour::Wrong, 2.0).dashed(),
                _ => edge,
            }
        });
        let nodes = (0..8).map(|node| {
            let colour = if node == 0 { Colour::Source } else { Colour::Muted };
            Node::new(node.to_string(), colour).note(format!("{:.1}", 0.2 * f64::from(node)))
        });
        let plan = narscope_plot::graph_layout(8, &ends);
        Panel {
            title: format!("after step {}", step + 1),
            marks: vec![Graph::new(nodes.collect(), edges.collect()).at(plan).into()],
            legend: graph_legend(),
            ..Panel::default()
        }
    };
    Picture {
        title: "Graph 3: all but one edge of the tree are found after two steps".to_owned(),
        columns: 3,
        panels: (0..3).map(panel).collect(),
        ..Picture::default()
    }
}

fn cities() -> Picture {
    let cities = [
        "Amsterdam",
        "Utrecht",
        "Rotterdam",
        "Den Haag",
        "Eindhoven",
        "Groningen",
        "Zwolle",
        "Arnhem",
        "Nijmegen",
        "Leeuwarden",
        "Maastricht",
        "Breda",
    ];
    let roads = [
        (0, 1, "45"),
        (0, 3, "60"),
        (3, 2, "25"),
        (2, 1, "58"),
        (1, 7, "64"),
        (7, 8, "18"),
        (8, 4, "63"),
        (4, 10, "87"),
        (4, 11, "60"),
        (11, 2, "52"),
        (1, 6, "88"),
        (6, 5, "104"),
        (6, 9, "95"),
        (9, 5, "62"),
        (0, 6, "112"),
        (6, 7, "66"),
        (1, 4, "92"),
    ];
    let edges = roads.iter().enumerate().map(|(index, &(from, to, label))| {
        let edge = Edge::new(from, to).label(label);
        match index % 3 {
            0 => edge.drawn(Colour::Found, 2.0),
            1 if index > 8 => edge.drawn(Colour::Missed, 2.0),
            _ => edge,
        }
    });
    let nodes = cities.iter().enumerate().map(|(index, city)| {
        let colour = if index == 0 { Colour::Source } else { Colour::Muted };
        Node::new(*city, colour).note(format!("{} km", 31 * index))
    });
    Picture {
        title: "Shortest paths from Amsterdam: 10 of 12 cities are right".to_owned(),
        panels: vec![Panel {
            marks: vec![Graph::new(nodes.collect(), edges.collect()).into()],
            legend: graph_legend(),
            ..Panel::default()
        }],
        caption: "Maastricht: predicted over Breda, 257 km; the shortest path is 224 km."
            .to_owned(),
        ..Picture::default()
    }
}

fn sixty_nodes() -> Picture {
    let places: Vec<(f64, f64)> = numbers(1).zip(numbers(2)).take(60).collect();
    let mut edges = vec![];
    for (a, from) in places.iter().enumerate() {
        let mut others: Vec<usize> = (0..60).filter(|&b| b != a).collect();
        let distance = |b: &usize| (places[*b].0 - from.0).hypot(places[*b].1 - from.1);
        others.sort_by(|b, c| distance(b).total_cmp(&distance(c)));
        edges.extend(others[..2].iter().map(|&b| {
            let edge = Edge::new(a, b);
            if b % 3 == 0 { edge.drawn(Colour::Found, 2.0) } else { edge }
        }));
    }
    let nodes = (0..60).map(|node| {
        let colour = if node == 7 { Colour::Source } else { Colour::Muted };
        Node::new(node.to_string(), colour)
    });
    Picture {
        title: "A graph of 60 nodes".to_owned(),
        panels: vec![Panel {
            marks: vec![Graph::new(nodes.collect(), edges).into()],
            legend: graph_legend(),
            ..Panel::default()
        }],
        ..Picture::default()
    }
}

fn growth() -> Picture {
    let line = |group: usize, name: &str, from: f64, power: f64| {
        let points = (0..6).map(|i| 16.0 * 2f64.powi(i)).map(|x| (x, from * x.powf(power)));
        Line::new(points.collect(), Colour::Category(group)).marked().named(name)
    };
    let milliseconds = |it: f64| {
        if it < 1.0 { format!("{it} s") } else { format!("{it:.0} s") }
    };
    Picture {
        title: "Time grows with the square of the number of nodes".to_owned(),
        columns: 2,
        panels: vec![
            Panel {
                title: "time".to_owned(),
                x: Axis::new("nodes").spacing(Spacing::Log2),
                y: Axis::new("").spacing(Spacing::Log10).format(Format::Custom(milliseconds)),
                marks: vec![
                    line(0, "narscope", 1e-4, 2.0).into(),
                    line(1, "dm-clrs", 1e-3, 2.0).into(),
                    line(1, "dm-clrs, compiled", 5e-4, 2.0).dashed().into(),
                ],
                ..Panel::default()
            },
            Panel {
                title: "memory".to_owned(),
                x: Axis::new("nodes").spacing(Spacing::Log2),
                y: Axis::new("gigabytes").spacing(Spacing::Log10),
                marks: vec![
                    line(0, "narscope", 1e-3, 1.0).into(),
                    line(1, "dm-clrs", 3e-2, 1.0).into(),
                ],
                ..Panel::default()
            },
        ],
        ..Picture::default()
    }
}
