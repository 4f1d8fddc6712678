//! Scheduling of tasks with deadlines and penalties. CLRS 3rd ed., §16.5.

use crate::algorithms::{Algorithm, Category};
use crate::instance::keys::Range;
use crate::instance::tasks::Tasks;
use crate::trace::Tracer;
use crate::values::{
    Graph, GraphScalar, Node, NodeMask, NodeMaskOne, NodeOrder, NodeScalar, NodeWhole,
};

/// Selects tasks by decreasing penalty if they can be appended before their deadline.
pub struct TaskScheduling;

crate::probes!(TaskScheduling {
    input {
        /// the node's position in the list of tasks, in [0, 1)
        pos: NodeScalar,
        /// the deadline of the task (every task takes one unit of time)
        d: NodeWhole,
        /// the penalty for missing the deadline
        w: NodeScalar,
    }
    output {
        /// the tasks finished by their deadlines
        selected: NodeMask,
    }
    hint {
        /// the predecessor in the list of tasks
        pred_h: NodeOrder,
        /// the tasks selected so far
        selected_h: NodeMask,
        /// the task considered last
        i: NodeMaskOne,
        /// the number of tasks selected, which is the time they take
        t: GraphScalar,
    }
});

impl Algorithm for TaskScheduling {
    const NAME: &'static str = "task_scheduling";
    const SUMMARY: &'static str = "tasks to finish by their deadlines, by decreasing penalty";
    const CATEGORY: Category = Category::Greedy;
    type Instance = Tasks;
    const PARAMS: Range = Range::UNIT;

    fn input(Tasks { deadline, penalty }: Tasks) -> Input {
        // Parity: deadlines, and therefore `t`, are counts, not fractions of the number of tasks.
        Input { pos: NodeScalar::positions(deadline.len()), d: Node(deadline), w: Node(penalty) }
    }

    fn run(input: &Input, trace: &mut Tracer<Hint>) -> Output {
        let Input { d, w, .. } = input;
        let n = d.len();
        let mut x = Hint {
            pred_h: NodeOrder::to_left(n),
            selected_h: NodeMask::none(n),
            i: NodeMaskOne(0),
            t: Graph(0.0),
        };
        trace.hint(&x);

        // GREEDY(M, w): by decreasing penalty; the sort is stable.
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&a, &b| w[b].partial_cmp(&w[a]).expect("penalties are not NaN"));
        for i in order {
            // Parity: the book tests whether the selected tasks and this one can be scheduled in
            // any order, the reference whether this one can be scheduled last.
            if x.t.0 < d[i] {
                x.selected_h[i] = true;
                x.t.0 += 1.0;
            }
            x.i = NodeMaskOne(i);
            trace.hint(&x);
        }
        Output { selected: x.selected_h }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    use super::*;
    use crate::trace::Traces;

    #[test]
    fn selects_the_references_tasks_of_figure_16_7_not_the_books() {
        let deadline = vec![4.0, 2.0, 4.0, 3.0, 1.0, 4.0, 6.0];
        let penalty = vec![70.0, 60.0, 50.0, 40.0, 30.0, 20.0, 10.0];
        let traces = Traces::of::<TaskScheduling>(Tasks { deadline, penalty });
        let selected: NodeMask = traces.last("selected");
        // The book moves task 1 to the front, which leaves a slot for task 3 but none for task 5.
        assert_eq!((0..7).filter(|&i| selected[i]).collect::<Vec<_>>(), [0, 1, 2, 5, 6]);
    }

    proptest! {
        #[test]
        fn the_selected_tasks_can_all_meet_their_deadlines(
            tasks in proptest::collection::vec((1..9u8, 0..9u8), 2..20),
        ) {
            let n = tasks.len();
            let (deadline, penalty) =
                tasks.iter().map(|&(d, w)| (f64::from(d), f64::from(w))).unzip();
            let traces = Traces::of::<TaskScheduling>(Tasks { deadline, penalty });
            let selected: NodeMask = traces.last("selected");

            // Lemma 16.12: until time t, at most t tasks are due.
            for t in 0..9 {
                let due = (0..n).filter(|&i| selected[i] && tasks[i].0 <= t).count();
                prop_assert!(due <= usize::from(t), "{due} tasks are due at time {t}");
            }
            let count = (0..n).filter(|&i| selected[i]).count();
            prop_assert_eq!(traces.last::<GraphScalar>("t"), Graph(count as f64));
            prop_assert_eq!(traces.steps(0), n + 1);
        }
    }
}
