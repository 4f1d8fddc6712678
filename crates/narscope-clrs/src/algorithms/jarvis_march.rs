//! Jarvis's march around the convex hull. CLRS 3rd ed., §33.3.

use crate::algorithms::{Algorithm, Category};
use crate::instance::points::{Points, Shape, cross_product, lowest};
use crate::trace::Tracer;
use crate::values::{Graph, GraphClass, Node, NodeMask, NodeMaskOne, NodeOrder, NodeScalar};

/// Gift wrapping: moves from each hull vertex to the next one counterclockwise.
pub struct JarvisMarch;

crate::classes!(
    /// Whether the march has started.
    Phase {
        /// Before the march.
        Start,
        /// During the march.
        March,
    }
);

crate::probes!(JarvisMarch {
    input {
        /// the node's position in the list of points, in [0, 1)
        pos: NodeScalar,
        /// the x coordinate
        x: NodeScalar,
        /// the y coordinate
        y: NodeScalar,
    }
    output {
        /// the vertices of the convex hull
        in_hull: NodeMask,
    }
    hint {
        /// the predecessor in the list of points
        pred_h: NodeOrder,
        /// the hull vertices found so far
        in_hull_h: NodeMask,
        /// the lowest point, where the march starts
        best: NodeMaskOne,
        /// the hull vertex found last
        last_point: NodeMaskOne,
        /// the most clockwise point around the last hull point so far: the candidate for the next vertex
        endpoint: NodeMaskOne,
        /// the point compared last
        i: NodeMaskOne,
        /// whether the march has started
        phase: GraphClass<Phase>,
    }
});

impl Algorithm for JarvisMarch {
    const NAME: &'static str = "jarvis_march";
    const SUMMARY: &'static str = "the convex hull, by gift wrapping from vertex to vertex";
    const CATEGORY: Category = Category::Geometry;
    type Instance = Points;
    const PARAMS: Shape = Shape::Disc;

    fn input(Points { x, y }: Points) -> Input {
        Input { pos: NodeScalar::positions(x.len()), x: Node(x), y: Node(y) }
    }

    fn run(input: &Input, trace: &mut Tracer<Hint>) -> Output {
        let (xs, ys) = (&input.x, &input.y);
        let n = xs.len();
        let mut x = Hint {
            pred_h: NodeOrder::to_left(n),
            in_hull_h: NodeMask::none(n),
            best: NodeMaskOne(0),
            last_point: NodeMaskOne(0),
            endpoint: NodeMaskOne(0),
            i: NodeMaskOne(0),
            phase: Graph(Phase::Start),
        };
        trace.hint(&x);

        x.best = NodeMaskOne(lowest(xs, ys));
        x.endpoint = x.best;
        x.phase = Graph(Phase::March);
        // Counterclockwise around the hull, until a vertex repeats.
        while !x.in_hull_h[x.endpoint.0] {
            x.in_hull_h[x.endpoint.0] = true;
            x.last_point = x.endpoint;
            x.endpoint = NodeMaskOne(0);
            x.i = NodeMaskOne(0);
            trace.hint(&x);
            for i in 0..n {
                let (last, end) = (x.last_point.0, x.endpoint.0);
                let more_clockwise =
                    || i != last && i != end && cross_product(xs, ys, last, end, i) <= 0.0;
                if end == last || more_clockwise() {
                    x.endpoint = NodeMaskOne(i);
                }
                x.i = NodeMaskOne(i);
                trace.hint(&x);
            }
        }
        Output { in_hull: x.in_hull_h }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::*;
    use crate::algorithms::graham_scan::GrahamScan;
    use crate::instance::Instance as _;
    use crate::options::Options;
    use crate::rng::Rng;
    use crate::trace::Traces;

    #[test]
    fn a_point_inside_a_square_is_not_in_the_hull() {
        let (x, y) = (vec![0.0, 1.0, 2.0, 2.1, 0.1], vec![0.0, 0.5, 0.1, 2.0, 1.9]);
        let traces = Traces::of::<JarvisMarch>(Points { x, y });
        let wanted = NodeMask::from([true, false, true, true, true]);
        assert_eq!(traces.last::<NodeMask>("in_hull"), wanted);
    }

    #[test]
    fn of_collinear_points_the_last_one_is_next_and_the_march_terminates() {
        let (x, y) = (vec![2.0, 0.0, 1.0, 3.0], vec![2.0, 0.0, 1.0, 3.0]);
        let traces = Traces::of::<JarvisMarch>(Points { x, y });
        // From 1 to 3, to 2, and to 3 again.
        let wanted = NodeMask::from([false, true, true, true]);
        assert_eq!(traces.last::<NodeMask>("in_hull"), wanted);
    }

    proptest! {
        #[test]
        fn agrees_with_graham_and_compares_all_points_at_each_vertex(seed: u32, n in 2usize..20) {
            let points =
                Points::sample(&Shape::Disc, &mut Rng::seeded(seed), n, &Options::default()).unwrap();
            let graham = Traces::of::<GrahamScan>(points.clone()).last::<NodeMask>("in_hull");

            let traces = Traces::of::<JarvisMarch>(points);

            let size = graham.iter().filter(|&&vertex| vertex).count();
            prop_assert_eq!(traces.last::<NodeMask>("in_hull"), graham);
            prop_assert_eq!(traces.steps(0), 1 + size * (n + 1));
        }
    }
}
