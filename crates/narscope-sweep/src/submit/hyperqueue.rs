//! `HyperQueue`: commands for `hq submit`.

use super::{Submission, TaskArray};
use crate::file::Resources;

impl Submission {
    /// The `hq submit` command of an array, whose size `HyperQueue` does not limit.
    pub fn hyperqueue(&self, array: &TaskArray) -> Vec<String> {
        let Resources { time, mem, .. } = &self.resources;
        let log = self.logs.join("%{JOB_ID}_%{TASK_ID}.txt").display().to_string();
        let options = [
            ("array", Some(array.ranges())),
            ("name", Some("narscope".to_owned())),
            ("cpus", Some(self.cpus().to_string())),
            ("cwd", Some(self.folder.display().to_string())),
            ("stdout", Some(log.clone())),
            ("stderr", Some(log)),
            ("time-limit", time.clone()),
            ("resource", mem.as_ref().map(|mem| format!("mem={mem}"))),
        ];
        let options = options.into_iter().filter_map(|(name, value)| Some((name, value?)));
        let mut words = vec!["hq".to_owned(), "submit".to_owned()];
        words.extend(options.map(|(name, value)| format!("--{name}={value}")));
        words.push("--".to_owned());
        words.extend(self.command(array.offset));
        words
    }
}
