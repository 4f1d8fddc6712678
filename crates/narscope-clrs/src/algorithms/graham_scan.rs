//! Graham's scan for the convex hull. CLRS 3rd ed., §33.3.

use crate::algorithms::{Algorithm, Category};
use crate::instance::points::{Points, Shape, cross_product, lowest};
use crate::trace::Tracer;
use crate::values::{Graph, GraphClass, Node, NodeMask, NodeMaskOne, NodePointer, NodeScalar};

/// Walks round the points by angle and drops those where the way turns right.
pub struct GrahamScan;

crate::classes!(
    /// What the scan did last.
    Phase {
        /// Nothing yet.
        Start,
        /// It found the lowest point.
        FindLowest,
        /// It measured the angles of the others and sorted by them.
        Sort,
        /// It took a point off the stack.
        Pop,
        /// It put a point onto the stack.
        Push,
    }
);

crate::probes!(GrahamScan {
    input {
        /// the node's place in the list of points
        pos: NodeScalar,
        /// how far to the right the point is
        x: NodeScalar,
        /// how far up the point is
        y: NodeScalar,
    }
    output {
        /// the corners of the convex hull
        in_hull: NodeMask,
    }
    hint {
        /// the lowest point, which the scan starts from
        best: NodeMaskOne,
        /// the angle at which the lowest point sees this one
        atans: NodeScalar,
        /// the points on the stack: corners of the hull of those scanned so far
        in_hull_h: NodeMask,
        /// the point below this one on the stack
        stack_prev: NodePointer,
        /// the top of the stack
        last_stack: NodeMaskOne,
        /// the point that is scanned
        i: NodeMaskOne,
        /// what the scan did last
        phase: GraphClass<Phase>,
    }
});

impl Algorithm for GrahamScan {
    const NAME: &'static str = "graham_scan";
    const SUMMARY: &'static str = "the convex hull, points taken by angle";
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
        // The first of equals first. Parity: of the points in one direction, the book keeps only
        // the farthest.
        order.sort_by(|&i, &j| x.atans[i].partial_cmp(&x.atans[j]).expect("angles are numbers"));
        x.phase = Graph(Phase::Sort);
        trace.hint(&x);

        for (rank, &i) in order.iter().enumerate() {
            x.i = NodeMaskOne(i);
            // The first three points, the lowest among them, are put onto the stack unseen.
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

/// Whether the way from NEXT-TO-TOP(S) over TOP(S) to point `i` goes straight on or turns right.
fn turns_nonleft(xs: &[f64], ys: &[f64], x: &Hint, i: usize) -> bool {
    let NodeMaskOne(top) = x.last_stack;
    let next_to_top = x.stack_prev[top];
    // Differs: the lowest point stays. The reference never returns when all points are on a line.
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
    fn a_point_inside_a_square_is_no_corner() {
        let square = [(0.0, 0.0), (1.0, 0.5), (2.0, 0.1), (2.1, 2.0), (0.1, 1.9)];
        assert_eq!(hull(&square), [0, 2, 3, 4]);
    }

    #[test]
    fn the_lowest_point_is_the_leftmost_of_equals() {
        let points = Points { x: vec![1.0, 3.0, 0.0, 2.0], y: vec![0.0, 0.0, 0.0, 1.0] };
        let traces = Traces::of::<GrahamScan>(points);
        assert_eq!(traces.last::<NodeMaskOne>("best"), NodeMaskOne(2));
    }

    #[test]
    fn points_on_one_line_come_to_an_end() {
        assert_eq!(hull(&[(2.0, 2.0), (0.0, 0.0), (1.0, 1.0), (3.0, 3.0)]), [1, 3]);
    }

    /// The corners: from them one sees all other points on the left of some other corner.
    fn corners(x: &[f64], y: &[f64]) -> NodeMask {
        let n = x.len();
        let on_the_left =
            |i, j| (0..n).filter(|&k| k != i && k != j).all(|k| cross_product(x, y, i, j, k) > 0.0);
        Node((0..n).map(|i| (0..n).any(|j| j != i && on_the_left(i, j))).collect())
    }

    proptest! {
        #[test]
        fn finds_the_corners_and_leaves_a_hint_per_push_and_pop(seed: u32, n in 2usize..20) {
            let points =
                Points::sample(&Shape::Disc, &mut Rng::seeded(seed), n, &Options::default()).unwrap();
            let wanted = corners(&points.x, &points.y);
            let size = wanted.iter().filter(|&&corner| corner).count();

            let traces = Traces::of::<GrahamScan>(points);

            prop_assert_eq!(traces.last::<NodeMask>("in_hull"), wanted);
            prop_assert_eq!(traces.steps(0), 2 * n + 2 - size);
        }
    }
}
