//! Names that other programs have for a key.

/// Keys and their other names.
pub const ALIASES: &[(&str, &[&str])] = &[
    ("algorithms", &["algorithm"]),
    ("batch_size", &["batch"]),
    ("dropout_prob", &["dropout"]),
    ("early_stop", &["patience"]),
    ("eval_every", &["val_every"]),
    ("grad_clip_max_norm", &["grad_clip"]),
    ("hidden_size", &["hidden_dim", "hidden"]),
    ("hint_teacher_forcing", &["teacher_forcing"]),
    ("learning_rate", &["lr"]),
    ("nb_heads", &["num_heads", "heads"]),
    ("processor_type", &["processor"]),
    ("train_steps", &["num_steps", "max_steps"]),
];

/// The key of this name or of this other name; the name itself if there is none.
///
/// ```
/// use narscope_net::config::key_of;
///
/// assert_eq!(key_of("lr"), "learning_rate");
/// assert_eq!(key_of("seed"), "seed");
/// ```
pub fn key_of(name: &str) -> &str {
    let alias = ALIASES.iter().find(|(_, others)| others.contains(&name));
    alias.map_or(name, |(key, _)| key)
}
