//! Segment intersection test. CLRS 3rd ed., §33.1.

use crate::algorithms::{Algorithm, Category};
use crate::instance::points::{Points, Shape, cross_product};
use crate::trace::Tracer;
use crate::values::{Graph, GraphMask, Node, NodeMask, NodeMaskOne, NodeScalar};

/// Tests on which side of each segment the endpoints of the other lie.
pub struct SegmentsIntersect;

crate::probes!(SegmentsIntersect {
    input {
        /// the node's position in the list of points, in [0, 1)
        pos: NodeScalar,
        /// the x coordinate
        x: NodeScalar,
        /// the y coordinate
        y: NodeScalar,
    }
    output {
        /// whether the segment of the first two points intersects that of the last two
        intersect: GraphMask,
    }
    hint {
        /// the first endpoint of the segment tested against
        i: NodeMaskOne,
        /// the second endpoint of the segment tested against
        j: NodeMaskOne,
        /// the point being tested
        k: NodeMaskOne,
        /// the side of the other segment that the point is on: positive is right, negative is left
        dir: NodeScalar,
        /// whether the point is in the bounding box of the other segment
        on_seg: NodeMask,
    }
});

impl Algorithm for SegmentsIntersect {
    const NAME: &'static str = "segments_intersect";
    const SUMMARY: &'static str = "whether two line segments intersect";
    const CATEGORY: Category = Category::Geometry;
    type Instance = Points;
    const PARAMS: Shape = Shape::TwoSegments;
    const MULTIPLIER: usize = 64;

    fn input(Points { x, y }: Points) -> Input {
        Input { pos: NodeScalar::positions(x.len()), x: Node(x), y: Node(y) }
    }

    fn run(input: &Input, trace: &mut Tracer<Hint>) -> Output {
        // SEGMENTS-INTERSECT(p0, p1, p2, p3)
        let mut x = Hint {
            i: NodeMaskOne(0),
            j: NodeMaskOne(0),
            k: NodeMaskOne(0),
            dir: NodeScalar::zeros(4),
            on_seg: NodeMask::none(4),
        };
        trace.hint(&x);
        for (i, j, k) in [(2, 3, 0), (2, 3, 1), (0, 1, 2), (0, 1, 3)] {
            (x.i.0, x.j.0, x.k.0) = (i, j, k);
            // DIRECTION(pi, pj, pk)
            x.dir[k] = cross_product(&input.x, &input.y, i, k, j);
            // ON-SEGMENT(pi, pj, pk)
            x.on_seg[k] = between(&input.x, i, j, k) && between(&input.y, i, j, k);
            trace.hint(&x);
        }

        let d = &x.dir;
        let opposite = |a: f64, b: f64| (a > 0.0 && b < 0.0) || (a < 0.0 && b > 0.0);
        let cross = opposite(d[0], d[1]) && opposite(d[2], d[3]);
        let touch = (0..4).any(|k| d[k] == 0.0 && x.on_seg[k]);
        Output { intersect: Graph(cross || touch) }
    }
}

/// Whether coordinate `k` is between those of `i` and `j`, inclusive.
fn between(coordinates: &[f64], i: usize, j: usize, k: usize) -> bool {
    let [i, j, k] = [i, j, k].map(|node| coordinates[node]);
    i.min(j) <= k && k <= i.max(j)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::*;
    use crate::instance::Instance as _;
    use crate::options::Options;
    use crate::rng::Rng;
    use crate::trace::Traces;

    fn intersect(points: [(f64, f64); 4]) -> bool {
        let (x, y) = points.into_iter().unzip();
        let traces = Traces::of::<SegmentsIntersect>(Points { x, y });
        traces.last::<GraphMask>("intersect").0
    }

    #[test]
    fn segments_that_cross_intersect() {
        assert!(intersect([(0.0, 0.0), (2.0, 2.0), (0.0, 2.0), (2.0, 0.0)]));
    }

    #[test]
    fn segments_on_one_side_of_each_other_do_not_intersect() {
        assert!(!intersect([(0.0, 0.0), (1.0, 1.0), (2.0, 0.0), (3.0, 5.0)]));
        // The line through the second segment crosses the first one, but the segment does not reach
        // it.
        assert!(!intersect([(0.0, 0.0), (2.0, 2.0), (3.0, 0.0), (2.0, 1.0)]));
    }

    #[test]
    fn an_endpoint_on_the_other_segment_is_an_intersection() {
        assert!(intersect([(0.0, 0.0), (2.0, 2.0), (1.0, 1.0), (2.0, 0.0)]));
    }

    #[test]
    fn segments_on_one_line_intersect_only_where_they_overlap() {
        assert!(intersect([(0.0, 0.0), (2.0, 2.0), (1.0, 1.0), (3.0, 3.0)]));
        assert!(!intersect([(0.0, 0.0), (1.0, 1.0), (2.0, 2.0), (3.0, 3.0)]));
    }

    #[test]
    fn a_point_in_the_bounding_box_need_not_be_on_the_segment() {
        let (x, y) = (vec![0.0, 2.0, 0.5, 0.0], vec![0.0, 2.0, 1.0, 2.0]);
        let traces = Traces::of::<SegmentsIntersect>(Points { x, y });
        assert_eq!(traces.last::<NodeMask>("on_seg"), NodeMask::from([false, false, true, true]));
        assert_eq!(traces.last::<GraphMask>("intersect"), Graph(false));
    }

    proptest! {
        #[test]
        fn agrees_with_cramers_rule_in_five_hints(seed: u32) {
            let points = Points::sample(
                &Shape::TwoSegments,
                &mut Rng::seeded(seed),
                4,
                &Options::default(),
            )
            .unwrap();
            let Points { x, y } = points.clone();
            let traces = Traces::of::<SegmentsIntersect>(points);

            // p0 + a (p1 - p0) = p2 + b (p3 - p2), by Cramer's rule.
            let (first, second) = ((x[1] - x[0], y[1] - y[0]), (x[3] - x[2], y[3] - y[2]));
            let offset = (x[2] - x[0], y[2] - y[0]);
            let det = |u: (f64, f64), v: (f64, f64)| u.0 * v.1 - u.1 * v.0;
            let (a, b) =
                (det(offset, second) / det(first, second), det(offset, first) / det(first, second));
            let shared = (0.0..=1.0).contains(&a) && (0.0..=1.0).contains(&b);
            prop_assert_eq!(traces.last::<GraphMask>("intersect"), Graph(shared));
            prop_assert_eq!(traces.steps(0), 5);
        }
    }
}
