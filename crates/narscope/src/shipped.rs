//! Trained networks that come with the program: every folder of `crates/narscope/networks`, as `narscope export`
//! wrote it. To ship another one, add its folder; `build.rs` makes the list.

use narscope::study::Pretrained;

include!(concat!(env!("OUT_DIR"), "/shipped_networks.rs"));

#[cfg(test)]
mod tests {
    use std::path::Path;

    use narscope::study::Study;

    use super::*;

    #[test]
    fn every_folder_is_shipped() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("networks");
        let entries = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
        let folders = entries.filter(|entry| entry.file_type().unwrap().is_dir());
        let mut folders: Vec<String> =
            folders.map(|entry| entry.file_name().into_string().unwrap()).collect();
        folders.sort();
        let shipped: Vec<&str> = ALL.iter().map(|network| network.name).collect();
        assert_eq!(shipped, folders);
    }

    #[test]
    fn every_shipped_network_on_bellman_ford_is_one_of_the_study() {
        let study = include_str!("../../../experiments/paper.toml");
        let study = Study::parse(study, "experiments/paper.toml").unwrap();
        for Pretrained { name, files } in ALL {
            let (_, config) = files.iter().find(|(file, _)| *file == "config.toml").unwrap();
            // The others are for `narscope explore` only.
            if !std::str::from_utf8(config).unwrap().contains("\"bellman_ford\"") {
                continue;
            }
            let is_it = |network: &narscope::study::Network| network.folder() == *name;
            assert!(study.networks.iter().any(is_it), "reproduce would not show {name}");
        }
    }
}
