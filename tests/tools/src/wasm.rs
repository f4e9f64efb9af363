//! Reads the import section of a wasm module.
//!
//! Our own parser, so that the proof that the module has no imports depends on one page of code and not on another crate.

/// Returns the module and the name of every import.
pub fn imports(bytes: &[u8]) -> Result<Vec<(String, String)>, String> {
    let mut input = Input { bytes, at: 0 };
    if input.take(8)? != b"\0asm\x01\0\0\0" {
        return Err("not a wasm module of version 1".into());
    }
    let mut found = Vec::new();
    while input.at < bytes.len() {
        let id = input.take(1)?[0];
        let size = input.number()?;
        let section = input.take(size)?;
        if id == IMPORT_SECTION {
            read_section(&mut Input { bytes: section, at: 0 }, &mut found)?;
        }
    }
    Ok(found)
}

const IMPORT_SECTION: u8 = 2;

fn read_section(input: &mut Input<'_>, found: &mut Vec<(String, String)>) -> Result<(), String> {
    for _ in 0..input.number()? {
        found.push((input.name()?, input.name()?));
        // One byte is the kind of an import; its description must be skipped to reach the next entry.
        match input.take(1)?[0] {
            0 => drop(input.number()?),
            1 => {
                input.take(1)?;
                input.limits()?;
            }
            2 => input.limits()?,
            3 => drop(input.take(2)?),
            4 => {
                input.take(1)?;
                input.number()?;
            }
            kind => return Err(format!("import of an unknown kind {kind}")),
        }
    }
    Ok(())
}

struct Input<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Input<'a> {
    fn take(&mut self, len: usize) -> Result<&'a [u8], String> {
        let end = self.at.checked_add(len).filter(|end| *end <= self.bytes.len());
        let end = end.ok_or_else(|| format!("the module ends inside a section, at byte {}", self.at))?;
        let taken = &self.bytes[self.at..end];
        self.at = end;
        Ok(taken)
    }

    /// An unsigned LEB128 number.
    fn number(&mut self) -> Result<usize, String> {
        let mut value = 0u64;
        for shift in (0..35).step_by(7) {
            let byte = self.take(1)?[0];
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return usize::try_from(value).map_err(|error| error.to_string());
            }
        }
        Err(format!("a number is too long, at byte {}", self.at))
    }

    fn name(&mut self) -> Result<String, String> {
        let len = self.number()?;
        Ok(String::from_utf8_lossy(self.take(len)?).into_owned())
    }

    fn limits(&mut self) -> Result<(), String> {
        let flags = self.take(1)?[0];
        self.number()?;
        if flags & 1 == 1 {
            self.number()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_import_is_listed() {
        let mut module = b"\0asm\x01\0\0\0".to_vec();
        let section =
            b"\x04\x03env\x01f\x00\x05\x03env\x01m\x02\x00\x11\x03env\x01g\x03\x7f\x00\x03env\x01t\x01\x70\x01\x00\x10";
        module.extend([1, 0, 2, section.len() as u8]);
        module.extend(section);
        let names: Vec<String> = imports(&module).unwrap().into_iter().map(|(_, name)| name).collect();
        assert_eq!(names, ["f", "m", "g", "t"]);
    }

    #[test]
    fn a_module_that_ends_early_is_refused() {
        assert!(imports(b"\0asm\x01\0\0\0\x02\x05\x01").is_err());
        assert!(imports(b"<html>").is_err());
    }
}
