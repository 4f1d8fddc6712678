//! Fuzzes the target that the environment variable `NARSCOPE_FUZZ` names; the arguments are those of libFuzzer.

#![no_main]

mod targets;

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    static TARGET: OnceLock<fn(&[u8])> = OnceLock::new();
    let find = || {
        let name = std::env::var("NARSCOPE_FUZZ").unwrap_or_default();
        let target = targets::ALL.iter().find(|(known, _)| *known == name);
        target
            .unwrap_or_else(|| {
                panic!("expected the name of a target in NARSCOPE_FUZZ, found {name:?}")
            })
            .1
    };
    TARGET.get_or_init(find)(input);
});
