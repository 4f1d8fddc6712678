//! Kubernetes: the manifest of an Indexed Job.

use super::{SECONDS_TO_SAVE, Submission};
use crate::pool::EXIT_SAVED;

impl Submission {
    /// The manifest of an Indexed Job; the user adds the image and the volume.
    ///
    /// Its tasks are counted from 0 without gaps; tasks whose runs are done exit at once. A pod that saved its run
    /// or lost its node is replaced without counting as a failure.
    pub fn kubernetes(&self) -> String {
        let tasks = self.left.last().map_or(0, |last| last / self.tasks_per_job() + 1);
        let words = self.command(0);
        let quoted = |text: &str| serde_json::to_string(text).expect("text is JSON");
        let command = words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(", ");
        let folder = quoted(&self.folder.display().to_string());
        let mem = quoted(self.resources.mem.as_deref().unwrap_or("4Gi"));
        let cpus = self.cpus();
        format!(
            "# Fill in the image, and volumes with volumeMounts, so that all pods share the folder and the runs outlive them.\n\
             apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: narscope\nspec:\n  completionMode: Indexed\n  completions: {tasks}\n\
             \x20 parallelism: {tasks}\n  backoffLimitPerIndex: 3\n  maxFailedIndexes: {tasks}\n\
             \x20 podFailurePolicy:\n    rules:\n\
             \x20     - {{ action: Ignore, onExitCodes: {{ operator: In, values: [{EXIT_SAVED}] }} }}\n\
             \x20     - {{ action: Ignore, onPodConditions: [{{ type: DisruptionTarget, status: \"True\" }}] }}\n\
             \x20 template:\n    spec:\n      restartPolicy: Never\n      terminationGracePeriodSeconds: {SECONDS_TO_SAVE}\n\
             \x20     containers:\n        - name: narscope\n          image: YOUR_IMAGE\n          workingDir: {folder}\n\
             \x20         command: [{command}]\n\
             \x20         resources:\n            requests: {{ cpu: \"{cpus}\", memory: {mem} }}\n"
        )
    }
}
