//! [`Turn`]: one response from its first step to its end, on a [`Writer`].
//!
//! An example of driving a writer from another program's loop: the source of steps calls [`Turn::step`] and takes the
//! bytes or the events after each. This module does not depend on the transport.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use deltafold::json::{Object, Value};
use deltafold::write::{echo_request, ApiError, ItemHandle, Usage};
use deltafold::{Error, Writer, WriterOptions};

use crate::context::Context;
use crate::request::Request;
use crate::script::{script, Step};
use crate::state::{ActiveResponse, Server};

/// Idle time after which a heartbeat is sent.
const HEARTBEAT: Duration = Duration::from_secs(15);

pub(crate) struct Turn {
    server: Arc<Server>,
    running: Arc<ActiveResponse>,
    pub(crate) writer: Writer,
    steps: VecDeque<Step>,
    item: ItemHandle,
    /// The conversation before this response.
    items: Vec<Value>,
    store: bool,
    usage: Usage,
    limit: u64,
    /// The number of alternatives for each log probability; `None` if none were requested.
    logprobs: Option<u64>,
    /// The error that the response ended with.
    pub(crate) failure: Option<ApiError>,
}

impl Turn {
    /// Prepares the response to a request. Returns every error of the request here, before anything is written.
    pub(crate) fn new(request: &Request, context: Context, server: &Arc<Server>) -> Result<Self, ApiError> {
        let steps = script(request, &context)?;
        let options = server.options;
        let mut template = echo_request(&request.body, options.edition);
        template.insert("store", request.store());
        let id = server.next_id("resp");
        let writer = Writer::new(
            WriterOptions::new(id.as_str(), request.model(), options.now())
                .template(template)
                .reasoning_names(options.reasoning_names)
                .edition(options.edition),
        );
        Ok(Self {
            running: server.run(&id),
            server: Arc::clone(server),
            writer,
            steps,
            item: ItemHandle::at(0),
            usage: Usage::new(context.tokens(), 0),
            items: context.items,
            store: request.store(),
            limit: request.number("max_output_tokens").unwrap_or(u64::MAX),
            logprobs: request
                .includes("message.output_text.logprobs")
                .then(|| request.number("top_logprobs").unwrap_or(0)),
            failure: None,
        })
    }

    /// Runs the next step; returns `false` once the response has ended. The output is in the writer.
    pub(crate) async fn step(&mut self) -> bool {
        if self.writer.is_ended() {
            return false;
        }
        if let Err(error) = self.advance().await {
            // A step that the writer refuses is an error in the script: the response reports it and stays valid.
            let error = ApiError::new(Default::default(), "script_error", error.to_string());
            let _ = self.writer.fail(&error);
            self.failure = Some(error);
        }
        if self.writer.is_ended() {
            self.remember();
        }
        true
    }

    /// Ends the response because the client has disconnected.
    pub(crate) fn abandon(&mut self) {
        if self.writer.cancel().is_ok() {
            self.remember();
        }
    }

    /// Returns the conversation so far, including this response's output.
    pub(crate) fn all_items(&self) -> Vec<Value> {
        let response = self.writer.response();
        let output = response.get("output").and_then(Value::as_array).unwrap_or_default();
        self.items.iter().chain(output).cloned().collect()
    }

    async fn advance(&mut self) -> Result<(), Error> {
        if self.running.is_cancelled() {
            self.writer.usage(self.usage)?;
            return self.writer.cancel();
        }
        let Some(step) = self.steps.pop_front() else {
            self.writer.set_now(self.server.options.now());
            return self.writer.complete(Some(self.usage));
        };
        let costs = matches!(step, Step::Text(_) | Step::Refusal(_) | Step::ReasoningText(_) | Step::Arguments(_));
        if costs {
            if self.usage.output_tokens >= self.limit {
                return self.writer.incomplete("max_output_tokens", Some(self.usage));
            }
            self.usage.output_tokens += 1;
        }
        match step {
            Step::Reasoning => self.item = self.writer.reasoning()?,
            Step::ReasoningText(text) => {
                self.usage.reasoning_tokens += 1;
                self.writer.reasoning_text(self.item, &text)?;
            }
            Step::Summary(text) => self.writer.reasoning_summary(self.item, &text)?,
            Step::Encrypted(text) => self.writer.encrypted_content(self.item, &text)?,
            Step::Message => self.item = self.writer.message()?,
            Step::Text(text) => {
                if let Some(most) = self.logprobs {
                    self.writer.logprobs(self.item, vec![logprob(&text, most)])?;
                }
                self.writer.text(self.item, &text)?;
            }
            Step::Refusal(text) => self.writer.refusal(self.item, &text)?,
            Step::Cite => self.writer.annotation(self.item, citation())?,
            Step::Call(name) => self.item = self.writer.function_call("", &name)?,
            Step::Arguments(text) => self.writer.arguments(self.item, &text)?,
            Step::Close => self.writer.close(self.item)?,
            Step::WaitForCancel => {
                tokio::select! {
                    () = self.running.until_cancelled() => {}
                    () = tokio::time::sleep(HEARTBEAT) => self.writer.heartbeat()?,
                }
                self.steps.push_front(Step::WaitForCancel);
            }
            Step::Fail(error) => {
                self.writer.usage(self.usage)?;
                self.writer.fail(&error)?;
                self.failure = Some(error);
            }
        }
        Ok(())
    }

    fn remember(&mut self) {
        let id = self.writer.options().id.clone();
        if self.store && self.failure.is_none() {
            self.server.store(&id, self.all_items());
        }
        self.server.end(&id, self.writer.response_json());
    }
}

fn logprob(token: &str, most: u64) -> Value {
    let one = || {
        let mut one = Object::new();
        one.push("token", token);
        one.push("logprob", -0.25);
        one.push("bytes", Value::Array(token.bytes().map(|byte| Value::from(u32::from(byte))).collect()));
        one
    };
    let mut whole = one();
    whole.push("top_logprobs", Value::Array((0..most.min(1)).map(|_| Value::Object(one())).collect()));
    Value::Object(whole)
}

fn citation() -> Value {
    let mut citation = Object::new();
    citation.push("type", "url_citation");
    citation.push("url", "https://example.org/source");
    citation.push("title", "A source");
    citation.push("start_index", 0);
    citation.push("end_index", 3);
    Value::Object(citation)
}
