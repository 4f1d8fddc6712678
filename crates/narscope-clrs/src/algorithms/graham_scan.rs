//! Graham's scan for the convex hull. CLRS 3rd ed., §33.3.

use crate::algorithms::{Algorithm, Category};
use crate::instance::points::{Points, Shape, cross_product, lowest};
use crate::trace::Tracer;
use crate::values::{Graph, GraphClass, Node, NodeMask, NodeMaskOne, NodePointer, NodeScalar};

/// Scans the points by polar angle and pops those at which the boundary does not turn left.
pub struct GrahamScan;

crate::classes!(
    /// What the scan did last.
    Phase {
        /// Before the scan.
        Start,
        /// Found the lowest point.
        FindLowest,
        /// Sorted the other points by polar angle.
        Sort,
        /// Popped a point off the stack.
        Pop,
        /// Pushed a point onto the stack.
        Push,
    }
);

crate::probes!(GrahamScan {
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
        /// the lowest point, where the scan starts
        best: NodeMaskOne,
        /// the polar angle of the point around the lowest point
        atans: NodeScalar,
        /// the points on the stack: the hull of the points scanned so far
        in_hull_h: NodeMask,
        /// the point below this one on the stack
        stack_prev: NodePointer,
        /// the top of the stack
        last_stack: NodeMaskOne,
        /// the point being scanned
        i: NodeMaskOne,
        /// what the scan did last
        phase: GraphClass<Phase>,
    }
});

impl Algorithm for GrahamScan {
    const NAME: &'static str = "graham_scan";
    const SUMMARY: &'static str = "the convex hull, from a scan of the points by polar angle";
    const CATEGORY: Category = Category::Geometry;
    type Instance = Points;
    const PARAMS: Shape = Shape::Disc;

    fn input(Points { x, y }: Points) -> Input {
        Input { pos: NodeScalar::positions(x.len()), x: Node(x), y: Node(y) }
    }

    fn run(input: &Input, trace: &mut Tracer<Hint>) -> Output {
        let (xs, ys) = (&input.x, &input.y);
        let n = xs.len();

        // GRAHAM-SCAN(Q)
        let mut x = Hint {
            best: NodeMaskOne(0),
            atans: NodeScalar::zeros(n),
            in_hull_h: NodeMask::none(n),
            stack_prev: NodePointer::to_self(n),
            last_stack: NodeMaskOne(0),
            i: NodeMaskOne(0),
            phase: Graph(Phase::Start),
        };
        trace.hint(&x);

        let best = lowest(xs, ys);
        x.best = NodeMaskOne(best);
        x.in_hull_h[best] = true;
        x.last_stack = x.best;
        x.i = x.best;
        x.phase = Graph(Phase::FindLowest);
        trace.hint(&x);

        let mut order: Vec<usize> = (0..n).filter(|&i| i != best).collect();
        for &i in &order {
            x.atans[i] = (ys[i] - ys[best]).atan2(xs[i] - xs[best]);
        }
        // A stable sort. Parity: of points with equal angles, the book keeps only the farthest.
        order.sort_by(|&i, &j| x.atans[i].partial_cmp(&x.atans[j]).expect("angles are not NaN"));
        x.phase = Graph(Phase::Sort);
        trace.hint(&x);

        for (rank, &i) in order.iter().enumerate() {
            x.i = NodeMaskOne(i);
            // The first three points, including the lowest, are pushed without a test.
            if rank >= 2 {
                while turns_nonleft(xs, ys, &x, i) {
                    // POP(S)
                    let NodeMaskOne(top) = x.last_stack;
                    x.last_stack = NodeMaskOne(x.stack_prev[top]);
                    x.stack_prev[top] = top;
                    x.in_hull_h[top] = false;
                    x.phase = Graph(Phase::Pop);
                    trace.hint(&x);
                }
            }
            // PUSH(pi, S)
            x.in_hull_h[i] = true;
            x.stack_prev[i] = x.last_stack.0;
            x.last_stack = x.i;
            x.phase = Graph(Phase::Push);
            trace.hint(&x);
        }
        Output { in_hull: x.in_hull_h }
    }
}

/// Whether the angle formed by NEXT-TO-TOP(S), TOP(S) and point `i` makes a nonleft turn.
fn turns_nonleft(xs: &[f64], ys: &[f64], x: &Hint, i: usize) -> bool {
    let NodeMaskOne(top) = x.last_stack;
    let next_to_top = x.stack_prev[top];
    // Differs: the lowest point is never popped. The reference does not terminate if all points are
    // collinear.
    next_to_top != top && cross_product(xs, ys, next_to_top, top, i) <= 0.0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::*;
    use crate::instance::Instance as _;
    use crate::options::Options;
    use crate::rng::Rng;
    use crate::trace::Traces;

    fn hull(points: &[(f64, f64)]) -> Vec<usize> {
        let (x, y) = points.iter().copied().unzip();
        let in_hull = Traces::of::<GrahamScan>(Points { x, y }).last::<NodeMask>("in_hull");
        (0..points.len()).filter(|&i| in_hull[i]).collect()
    }

    #[test]
    fn a_point_inside_a_square_is_not_in_the_hull() {
        let square = [(0.0, 0.0), (1.0, 0.5), (2.0, 0.1), (2.1, 2.0), (0.1, 1.9)];
        assert_eq!(hull(&square), [0, 2, 3, 4]);
    }

    #[test]
    fn of_equally_low_points_the_leftmost_is_the_lowest() {
        let points = Points { x: vec![1.0, 3.0, 0.0, 2.0], y: vec![0.0, 0.0, 0.0, 1.0] };
        let traces = Traces::of::<GrahamScan>(points);
        assert_eq!(traces.last::<NodeMaskOne>("best"), NodeMaskOne(2));
    }

    #[test]
    fn the_scan_of_collinear_points_terminates() {
        assert_eq!(hull(&[(2.0, 2.0), (0.0, 0.0), (1.0, 1.0), (3.0, 3.0)]), [1, 3]);
    }

    /// Hull vertices by brute force: all points lie to the left of some line from the vertex.
    fn vertices(x: &[f64], y: &[f64]) -> NodeMask {
        let n = x.len();
        let on_the_left =
            |i, j| (0..n).filter(|&k| k != i && k != j).all(|k| cross_product(x, y, i, j, k) > 0.0);
        Node((0..n).map(|i| (0..n).any(|j| j != i && on_the_left(i, j))).collect())
    }

    proptest! {
        #[test]
        fn finds_the_hull_and_records_a_hint_per_push_and_pop(seed: u32, n in 2usize..20) {
            let points =
                Points::sample(&Shape::Disc, &mut Rng::seeded(seed), n, &Options::default()).unwrap();
            let wanted = vertices(&points.x, &points.y);
            let size = wanted.iter().filter(|&&vertex| vertex).count();

            let traces = Traces::of::<GrahamScan>(points);

            prop_assert_eq!(traces.last::<NodeMask>("in_hull"), wanted);
            prop_assert_eq!(traces.steps(0), 2 * n + 2 - size);
        }
    }
}
