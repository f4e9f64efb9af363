//! [`Profile`]: the known deviations of a provider, as data.
//!
//! A profile changes only findings, their severity and what is valid: events, response and repairs are the same. Each exemption
//! has a rule, a location, the new severity, and the evidence for it. The profile `open-responses` has no exemptions;
//! `any`, the default of a reader, has the exemptions of all known providers.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

use crate::contract::Edition;
use crate::error::{Code, Error};
use crate::finding::{Finding, Severity, SeverityMap};
use crate::json::Value;
use crate::options::{invalid_option, listed, OptionReader};
use crate::sync::OnceCell;
use crate::validate::{Client, ExtensionSchemas, Rule};

mod builtin;

pub(crate) use builtin::{BuiltinLine, EVERY};

/// The known deviations of a provider.
///
/// ```
/// use deltafold::{Profile, Severity};
/// use deltafold::validate::Rule;
/// let openai = Profile::builtin("openai")?;
/// assert_eq!(openai.severity_map().of(Rule::Sse02), None, "OpenAI never sends the sentinel");
///
/// let mine = Profile::from_json(r#"{"name":"mine","extends":"openai",
///     "exemptions":[{"rule":"SEQ-03","severity":"warning","why":"our proxy drops keepalives"}]}"#)?;
/// assert_eq!(mine.severity_map().of(Rule::Seq03), Some(Severity::Warning));
/// # Ok::<(), deltafold::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Profile {
    name: Cow<'static, str>,
    about: Cow<'static, str>,
    edition: Edition,
    /// The exemptions, unless `is_any`.
    exemptions: Vec<Exemption>,
    /// The clients that must be able to read the stream.
    clients: Vec<Client>,
    /// Additions to the edition. A build without a validator has none.
    #[cfg(feature = "validate")]
    schemas: ExtensionSchemas,
    /// True for the unchanged profile `any`. Every reader has it by default, so its exemptions are a constant, and this list of them is
    /// made on demand.
    is_any: bool,
    any: OnceCell<Vec<Exemption>>,
}

impl PartialEq for Profile {
    fn eq(&self, other: &Self) -> bool {
        let names = |profile: &Self| (profile.name.clone(), profile.about.clone(), profile.edition);
        names(self) == names(other)
            && self.clients == other.clients
            && self.schemas() == other.schemas()
            && self.exemptions() == other.exemptions()
    }
}

/// An exemption of a profile: a rule with a lower severity, its location, and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Exemption {
    /// The rule.
    pub rule: Rule,
    /// Pattern of JSON pointers, as in [`SeverityMap::set_at`]; empty for every location.
    pub path: Cow<'static, str>,
    /// The new severity; `None` if the finding is not reported at all.
    pub severity: Option<Severity>,
    /// The evidence: where the deviation was observed.
    pub why: Cow<'static, str>,
}

impl Profile {
    /// The names of the built-in profiles.
    pub fn names() -> impl Iterator<Item = &'static str> {
        builtin::ALL.iter().map(|profile| profile.name)
    }

    /// Returns a built-in profile.
    ///
    /// # Errors
    ///
    /// [`Code::UnknownName`] if there is no profile of this name.
    pub fn builtin(name: &str) -> Result<Self, Error> {
        let known = || listed(Self::names(), ", ");
        let found = builtin::ALL.iter().find(|profile| profile.name == name);
        let found = found.ok_or_else(|| Error::new(Code::UnknownName, 0, format!("known profiles: {}", known())))?;
        let mut profile = Self {
            name: Cow::Borrowed(found.name),
            about: Cow::Borrowed(found.about),
            edition: found.edition,
            exemptions: Vec::new(),
            clients: Vec::new(),
            #[cfg(feature = "validate")]
            schemas: ExtensionSchemas::default(),
            is_any: name == "any",
            any: OnceCell::new(),
        };
        if profile.is_any {
            return Ok(profile);
        }
        for base in found.like {
            for other in builtin::ALL.iter().filter(|other| other.name == *base) {
                profile.take(other.lines);
            }
        }
        profile.take(found.lines);
        // When patterns overlap, the last one applies: sort so that the lowest severity is last.
        let sorted = by_severity(profile.exemptions());
        *profile.exemptions_mut() = sorted;
        Ok(profile)
    }

    /// Reads a profile from JSON text:
    ///
    /// | member | value |
    /// | --- | --- |
    /// | `name`, `about` | texts for people |
    /// | `extends` | the name of a built-in profile that is the base; `open-responses`, which exempts nothing, by default |
    /// | `edition` | the edition to check against; that of the base by default |
    /// | `clients` | a list of clients, see [`with_clients`](Self::with_clients) |
    /// | `schemas` | additions to the edition, see [`ExtensionSchemas::from_json`] |
    /// | `exemptions` | a list of objects, see below; they are added to those of the base, and a later one counts more |
    ///
    /// | member of an exemption | value |
    /// | --- | --- |
    /// | `rule` | the id of a rule; required |
    /// | `path` | a pattern of JSON pointers, see [`SeverityMap::set_at`]; every location by default |
    /// | `severity` | `none`, `note`, `warning` or `error`; `note` by default |
    /// | `why` | the reason, for people |
    ///
    /// # Errors
    ///
    /// [`Code::NotJson`] for text that is not JSON, [`Code::BadArgument`] for an invalid field,
    /// [`Code::UnknownName`] for a rule, edition or profile that does not exist.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let value = Value::parse(text, 16)
            .map_err(|error| Error::new(Code::NotJson, error.position() as u64, error.to_string()))?;
        if value.as_object().is_none() {
            return Err(invalid("expected a profile to be a JSON object"));
        }
        let reader = OptionReader::new(&value)?;
        reader.check_names(&[
            "name",
            "about",
            "extends",
            "edition",
            "clients",
            #[cfg(feature = "validate")]
            "schemas",
            "exemptions",
        ])?;
        let mut profile = Self::builtin(reader.text("extends")?.unwrap_or("open-responses"))?;
        if let Some(name) = reader.text("name")? {
            profile.name = Cow::Owned(name.to_string());
        }
        if let Some(about) = reader.text("about")? {
            profile.about = Cow::Owned(about.to_string());
        }
        if let Some(edition) = reader.text("edition")? {
            profile.edition = edition.parse()?;
        }
        let mut clients = Vec::new();
        if let Some(list) = reader.value("clients") {
            for name in list.as_array().ok_or_else(|| invalid_option("clients", "a list"))? {
                clients.push(name.as_str().ok_or_else(|| invalid_option("clients", "names of clients"))?.parse()?);
            }
        }
        #[cfg(feature = "validate")]
        if let Some(schemas) = reader.value("schemas") {
            profile.schemas = ExtensionSchemas::from_value(schemas)?;
        }
        if let Some(list) = reader.value("exemptions") {
            for exemption in list.as_array().ok_or_else(|| invalid_option("exemptions", "a list"))? {
                profile.exemptions_mut().push(Exemption::from_value(exemption)?);
            }
        }
        Ok(profile.with_clients(&clients))
    }

    /// Makes every rule whose violation breaks one of these clients an error, whatever the profile exempts. See
    /// [`Rule::broken_clients`].
    ///
    /// ```
    /// use deltafold::validate::{Client, Rule};
    /// use deltafold::{Profile, Severity};
    /// let profile = Profile::builtin("openai")?.with_clients(&[Client::OpenAiNode]);
    /// assert_eq!(profile.severity_map().of(Rule::Life02), Some(Severity::Error));
    /// # Ok::<(), deltafold::Error>(())
    /// ```
    #[must_use]
    pub fn with_clients(mut self, clients: &[Client]) -> Self {
        for client in clients {
            if !self.clients.contains(client) {
                self.clients.push(*client);
            }
        }
        self
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns a sentence that describes the streams that the profile is for.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// Returns the edition to check against, unless the caller selects another one.
    pub fn edition(&self) -> Edition {
        self.edition
    }

    /// Returns the clients that must be able to read the stream; see [`with_clients`](Self::with_clients).
    pub fn clients(&self) -> &[Client] {
        &self.clients
    }

    /// Returns the additions to the edition: types, fields and words that are valid too. The option `schemas` of a reader adds to them.
    pub fn schemas(&self) -> &ExtensionSchemas {
        #[cfg(feature = "validate")]
        return &self.schemas;
        #[cfg(not(feature = "validate"))]
        ExtensionSchemas::NONE
    }

    /// Returns the exemptions. When two apply, the later one counts.
    pub fn exemptions(&self) -> &[Exemption] {
        if !self.is_any {
            return &self.exemptions;
        }
        self.any.get_or_init(|| EVERY.iter().map(Exemption::from_line).collect())
    }

    /// The list of exemptions, to change: the profile is no longer `any` as it is built in.
    fn exemptions_mut(&mut self) -> &mut Vec<Exemption> {
        if core::mem::take(&mut self.is_any) {
            self.exemptions = self.any.take().unwrap_or_else(|| EVERY.iter().map(Exemption::from_line).collect());
        }
        &mut self.exemptions
    }

    /// Returns the severity of each rule under this profile.
    pub fn severity_map(&self) -> SeverityMap {
        let mut severities = if self.is_any { SeverityMap::any() } else { SeverityMap::by_level() };
        for line in &self.exemptions {
            if line.path.is_empty() {
                severities.set(line.rule, line.severity);
            } else {
                severities.set_pattern(line.rule, line.path.clone(), line.severity);
            }
        }
        if !self.clients.is_empty() {
            for rule in Rule::ALL {
                if rule.broken_clients().iter().any(|client| self.clients.contains(client)) {
                    severities.require(*rule);
                }
            }
        }
        severities
    }

    /// Suggests the built-in profile that leaves the fewest errors; of several, the one with the fewest exemptions.
    ///
    /// `findings` checks the stream against an edition without exemptions; it is called once for each edition.
    ///
    /// ```
    /// use deltafold::Profile;
    /// assert_eq!(Profile::suggest(|_| Vec::new()).name(), "open-responses");
    /// ```
    pub fn suggest(mut findings: impl FnMut(Edition) -> Vec<Finding>) -> Self {
        let found = Edition::ALL.map(|edition| (edition, findings(edition)));
        let mut best: Option<(usize, usize, Self)> = None;
        for name in Self::names() {
            // Every name in the list is built in.
            let Ok(profile) = Self::builtin(name) else { continue };
            let severities = profile.severity_map();
            let is_error = |finding: &&Finding| severities.at(finding.rule, &finding.path) == Some(Severity::Error);
            let seen = found.iter().filter(|(edition, _)| *edition == profile.edition);
            let errors = seen.flat_map(|(_, findings)| findings).filter(is_error).count();
            let exempted = profile.exemptions().len();
            if best.as_ref().is_none_or(|(fewest, least, _)| (errors, exempted) < (*fewest, *least)) {
                best = Some((errors, exempted, profile));
            }
        }
        // The list is not empty.
        best.map_or_else(Self::default, |(.., profile)| profile)
    }

    fn take(&mut self, lines: &[BuiltinLine]) {
        for line in lines {
            let (rule, path, severity, _) = line;
            let same = |known: &Exemption| known.rule == *rule && known.path == *path;
            // The lower severity of two exemptions is kept: `any` must not be stricter than the profiles that it combines.
            if let Some(known) = self.exemptions_mut().iter_mut().find(|known| same(known)) {
                known.severity = known.severity.min(*severity);
                continue;
            }
            self.exemptions_mut().push(Exemption::from_line(line));
        }
    }
}

/// Sorts the exemptions by falling severity, otherwise in their order. Four passes, because a sort adds kilobytes of code to a small build.
fn by_severity(lines: &[Exemption]) -> Vec<Exemption> {
    let mut sorted = Vec::with_capacity(lines.len());
    for weight in [Some(Severity::Error), Some(Severity::Warning), Some(Severity::Note), None] {
        sorted.extend(lines.iter().filter(|line| line.severity == weight).cloned());
    }
    sorted
}

impl Default for Profile {
    /// The profile `any`.
    fn default() -> Self {
        // The name is in the list, as a test proves; an empty profile is a safe fallback.
        Self::builtin("any").unwrap_or(Self {
            name: Cow::Borrowed("any"),
            about: Cow::Borrowed(""),
            edition: Edition::default(),
            exemptions: Vec::new(),
            clients: Vec::new(),
            #[cfg(feature = "validate")]
            schemas: ExtensionSchemas::default(),
            is_any: false,
            any: OnceCell::new(),
        })
    }
}

impl Exemption {
    fn from_line(&(rule, path, severity, why): &BuiltinLine) -> Self {
        Self { rule, path: Cow::Borrowed(path), severity, why: Cow::Borrowed(why) }
    }

    fn from_value(value: &Value) -> Result<Self, Error> {
        if value.as_object().is_none() {
            return Err(invalid("expected an exemption to be a JSON object"));
        }
        let reader = OptionReader::new(value)?;
        reader.check_names(&["rule", "path", "severity", "why"])?;
        let rule = reader.text("rule")?.ok_or_else(|| invalid("expected an exemption to have a `rule`"))?;
        let unknown = || Error::new(Code::UnknownName, 0, "unknown rule id; docs/rules.md lists all ids");
        let severities = [Some(Severity::Note), None, Some(Severity::Warning), Some(Severity::Error)];
        let owned = |name| Ok::<_, Error>(Cow::Owned(reader.text(name)?.unwrap_or_default().to_string()));
        Ok(Self {
            rule: Rule::from_id(rule).ok_or_else(unknown)?,
            path: owned("path")?,
            severity: severities[reader.choice("severity", &["note", "none", "warning", "error"])?],
            why: owned("why")?,
        })
    }
}

fn invalid(detail: impl Into<Cow<'static, str>>) -> Error {
    Error::new(Code::BadArgument, 0, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_profile_has_a_reason_for_each_line() {
        // Builds that never print the texts leave them out.
        let has_texts = cfg!(any(feature = "validate", feature = "explain"));
        for name in Profile::names() {
            let profile = Profile::builtin(name).unwrap();
            assert_eq!(!profile.about().is_empty(), has_texts, "{name}");
            for line in profile.exemptions() {
                assert_eq!(!line.why.is_empty(), has_texts, "{name} {}", line.rule.id());
                assert!(line.severity < Some(Severity::Error), "{name} {} lowers no severity", line.rule.id());
            }
        }
        assert!(Profile::builtin("open-responses").unwrap().exemptions().is_empty());
        assert_eq!(Profile::builtin("nobody").unwrap_err().code(), Code::UnknownName);
    }

    #[test]
    fn the_compile_time_table_equals_the_combined_profiles() {
        let mut made = Profile { is_any: false, ..Profile::default() };
        for other in builtin::ALL {
            made.take(other.lines);
        }
        *made.exemptions_mut() = by_severity(made.exemptions());
        assert_eq!(made, Profile::default());
        assert!(!made.is_any);
        for rule in Rule::ALL {
            for path in ["", "/response/output/0/action", "/response/a"]
                .into_iter()
                .chain(made.exemptions().iter().map(|line| &*line.path))
            {
                assert_eq!(
                    made.severity_map().at(*rule, path),
                    Profile::default().severity_map().at(*rule, path),
                    "{} {path}",
                    rule.id()
                );
            }
        }
        assert_eq!(made.exemptions(), EVERY.iter().map(Exemption::from_line).collect::<Vec<_>>());
    }

    #[test]
    fn the_profile_any_is_at_least_as_lenient_as_every_other() {
        let any = Profile::default().severity_map();
        for name in Profile::names() {
            for line in Profile::builtin(name).unwrap().exemptions() {
                assert!(any.at(line.rule, &line.path) <= line.severity, "{name} {} {}", line.rule.id(), line.path);
            }
        }
    }

    #[test]
    fn an_invalid_profile_is_refused_with_the_matching_code() {
        for (text, code) in [
            ("{", Code::NotJson),
            ("[]", Code::BadArgument),
            (r#"{"extends":"nobody"}"#, Code::UnknownName),
            (r#"{"edition":"1999"}"#, Code::UnknownName),
            (r#"{"exemptions":[{"rule":"SSE-99"}]}"#, Code::UnknownName),
            (r#"{"exemptions":[{"severity":"note"}]}"#, Code::BadArgument),
            (r#"{"exemptions":[{"rule":"SSE-02","severity":"maybe"}]}"#, Code::BadArgument),
            (r#"{"exemptions":[{"rule":"SSE-02","because":"x"}]}"#, Code::UnknownName),
            (r#"{"exemptions":{}}"#, Code::BadArgument),
            (r#"{"clients":"ai"}"#, Code::BadArgument),
            (r#"{"clients":[7]}"#, Code::BadArgument),
            (r#"{"clients":["curl"]}"#, Code::UnknownName),
            (r#"{"rules":[]}"#, Code::UnknownName),
            (r#"{"schemas":{"tools":{}}}"#, Code::UnknownName),
        ] {
            assert_eq!(Profile::from_json(text).unwrap_err().code(), code, "{text}");
        }
    }

    #[test]
    fn rules_that_break_a_named_client_are_errors_at_every_location() {
        let any = Profile::from_json(r#"{"extends":"any","clients":["ai"]}"#).unwrap().severity_map();
        for rule in Rule::ALL {
            let expected = match rule.broken_clients().contains(&Client::AiSdk) {
                true => Some(Severity::Error),
                false => Profile::default().severity_map().at(*rule, "/response/output/0/id"),
            };
            assert_eq!(any.at(*rule, "/response/output/0/id"), expected, "{}", rule.id());
        }
    }

    #[test]
    #[cfg(feature = "validate")]
    fn a_profile_of_an_edition_with_additions_allows_them_in_streams_and_objects() {
        use crate::__bindings::validate_named;
        use crate::validate::Layers;
        let profile = r#"{"edition":"split","schemas":{"events":{"response.browser.delta":{"required":["url"]}},
            "items":{"browser_call":{}},"values":{"TruncationEnum":["middle"]}}}"#;
        let event = |more: &str| {
            let mut reader =
                crate::Reader::builder().profile(Profile::from_json(profile).unwrap()).validate(Layers::ALL).build();
            let event = format!(r#"{{"type":"response.browser.delta","sequence_number":0{more}}}"#);
            reader.feed_json(&event).unwrap();
            while reader.poll_event().unwrap().is_some() {}
            reader.findings().iter().map(|finding| finding.rule.id()).collect::<Vec<_>>()
        };
        assert!(!event(r#","url":"x""#).contains(&"EXT-02"));
        assert!(event("").contains(&"SCHEMA-01"));
        let options = format!(r#"{{"profile":{profile}}}"#);
        let found = |what, json| validate_named(what, json, &options).unwrap();
        assert_eq!(found("item", r#"{"type":"browser_call","id":"x","status":"completed"}"#), []);
        assert_eq!(found("TruncationEnum", r#""middle""#), []);
        assert_eq!(found("TruncationEnum", r#""end""#).len(), 1);
        let request = r#"{"model":"m","input":"x","truncation":"middle"}"#;
        assert_eq!(found("request", request), []);
        assert_eq!(validate_named("request", request, r#"{"edition":"split"}"#).unwrap().len(), 1);
    }

    #[test]
    fn an_exemption_of_a_file_overrides_the_profile_that_it_extends() {
        let text = r#"{"name":"x","extends":"openai","exemptions":[{"rule":"SSE-02","severity":"error"}]}"#;
        assert_eq!(Profile::from_json(text).unwrap().severity_map().of(Rule::Sse02), Some(Severity::Error));
    }
}
