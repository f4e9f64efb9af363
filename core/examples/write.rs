//! Writes a response as a stream: reasoning, a message, two calls at once.

use deltafold::write::Usage;
use deltafold::{Writer, WriterOptions};

fn main() -> Result<(), deltafold::Error> {
    let mut writer = Writer::new(WriterOptions::new("resp_1", "m-1", 1_767_225_600));

    let thought = writer.reasoning()?;
    writer.reasoning_text(thought, "Two cities, two calls.")?;
    writer.close(thought)?;

    let message = writer.message()?;
    for delta in ["Let me ", "look."] {
        writer.text(message, delta)?;
    }
    writer.close(message)?;

    let paris = writer.function_call("call_a", "get_weather")?;
    let rome = writer.function_call("call_b", "get_weather")?;
    writer.arguments(rome, r#"{"city":"Rome"}"#)?;
    writer.arguments(paris, r#"{"city":"Paris"}"#)?;
    // An intent that is invalid in the current state returns an error and writes nothing.
    assert!(writer.text(message, "too late").is_err());

    writer.set_now(1_767_225_602);
    writer.complete(Some(Usage::new(12, 9)))?;

    // A server sends these bytes after each intent, or later.
    let bytes = writer.take();
    for line in String::from_utf8_lossy(&bytes).lines() {
        if let Some(name) = line.strip_prefix("event: ") {
            println!("{name}");
        }
    }
    Ok(())
}

// prints:
// response.created
// response.in_progress
// response.output_item.added
// response.content_part.added
// response.reasoning.delta
// response.reasoning.done
// response.content_part.done
// response.output_item.done
// response.output_item.added
// response.content_part.added
// response.output_text.delta
// response.output_text.delta
// response.output_text.done
// response.content_part.done
// response.output_item.done
// response.output_item.added
// response.output_item.added
// response.function_call_arguments.delta
// response.function_call_arguments.delta
// response.function_call_arguments.done
// response.output_item.done
// response.function_call_arguments.done
// response.output_item.done
// response.completed
