//! The corpus: made, packed and run without fuzzing.
//!
//! ```text
//! corpus replay [TARGET PLACE]…   runs the inputs of a file, folder or pack; without arguments, all that is committed
//! corpus seeds FOLDER             makes seeds from the vectors, a folder for each target
//! corpus unpack FOLDER            writes the committed inputs, a folder for each target
//! corpus pack FOLDER              commits the inputs of a folder for each target
//! ```
//!
//! A pack is the inputs one after the other, each after its length in four bytes, low byte first: thousands of inputs of a few
//! bytes are one file for each target.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{by_name, names, seeds};

/// Runs the command in the arguments; exits with an error message if that fails.
pub fn run(arguments: &[&str]) {
    match arguments {
        ["replay"] => names().for_each(|name| replay(name, &packed(name))),
        ["replay", pairs @ ..] if pairs.len() % 2 == 0 => {
            pairs.chunks_exact(2).for_each(|pair| replay(pair[0], Path::new(pair[1])));
        }
        ["seeds", folder] => println!("{} seeds", seeds::write(PathBuf::from(folder))),
        ["unpack", folder] => names().for_each(|name| unpack(name, &Path::new(folder).join(name))),
        ["pack", folder] => names().for_each(|name| pack(name, &Path::new(folder).join(name))),
        _ => stop("usage: corpus replay [TARGET PLACE]… | seeds FOLDER | unpack FOLDER | pack FOLDER"),
    }
}

/// Where the inputs of a target are committed.
fn packed(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(format!("{name}.pack"))
}

fn replay(name: &str, place: &Path) {
    let target = by_name(name).unwrap_or_else(|| stop(&format!("no target is named {name}")));
    let inputs = inputs(place);
    if inputs.is_empty() {
        stop(&format!("no inputs in {}", place.display()));
    }
    for (at, input) in inputs.iter().enumerate() {
        // The panic message has the location; this prints the input.
        if std::panic::catch_unwind(|| target(input)).is_err() {
            let kept = std::env::temp_dir().join(format!("deltafold-{name}-failed"));
            let _ = fs::write(&kept, input);
            stop(&format!("{name} fails on input {at} of {}, put into {}", place.display(), kept.display()));
        }
    }
    println!("{name}: {} inputs, {} bytes", inputs.len(), inputs.iter().map(Vec::len).sum::<usize>());
}

fn unpack(name: &str, folder: &Path) {
    let inputs = inputs(&packed(name));
    let written = fs::create_dir_all(folder).and_then(|()| {
        inputs.iter().enumerate().try_for_each(|(at, input)| fs::write(folder.join(format!("{at:05}")), input))
    });
    written.unwrap_or_else(|error| stop(&format!("{}: {error}", folder.display())));
}

fn pack(name: &str, folder: &Path) {
    let mut inputs = inputs(folder);
    inputs.sort();
    inputs.dedup();
    let mut pack = Vec::new();
    for input in &inputs {
        let length = u32::try_from(input.len()).unwrap_or_else(|_| stop("an input is above 4 GiB"));
        pack.extend_from_slice(&length.to_le_bytes());
        pack.extend_from_slice(input);
    }
    fs::write(packed(name), &pack).unwrap_or_else(|error| stop(&format!("{}: {error}", packed(name).display())));
    println!("{name}: {} inputs, {} bytes", inputs.len(), pack.len());
}

/// The inputs of a pack or folder, or a file as the only one.
fn inputs(place: &Path) -> Vec<Vec<u8>> {
    let read = |file: &Path| fs::read(file).unwrap_or_else(|error| stop(&format!("{}: {error}", file.display())));
    if place.is_dir() {
        let entries = fs::read_dir(place).and_then(|entries| entries.collect::<Result<Vec<_>, _>>());
        let entries = entries.unwrap_or_else(|error| stop(&format!("{}: {error}", place.display())));
        let mut files: Vec<PathBuf> = entries.iter().map(fs::DirEntry::path).collect();
        files.sort();
        return files.iter().map(|file| read(file)).collect();
    }
    let bytes = read(place);
    if place.extension().is_none_or(|extension| extension != "pack") {
        return vec![bytes];
    }
    let (mut all, mut rest) = (Vec::new(), bytes.as_slice());
    while let Some((length, after)) = rest.split_first_chunk() {
        let length = u32::from_le_bytes(*length) as usize;
        let Some((input, after)) = after.split_at_checked(length) else { break };
        all.push(input.to_vec());
        rest = after;
    }
    if !rest.is_empty() {
        stop(&format!("{} is cut", place.display()));
    }
    all
}

fn stop(why: &str) -> ! {
    eprintln!("{why}");
    std::process::exit(2);
}
