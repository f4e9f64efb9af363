//! The adapters of foreign dialects, in both directions, with vectors, hostile streams and recordings.

mod inbound;
mod inbound_hostile;
mod outbound;
mod outbound_hostile;
mod recordings;
mod roundtrip;
