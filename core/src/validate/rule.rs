//! [`Rule`]: every requirement that a stream, a response or a request can be checked on, as one table.

use crate::finding::{Layer, Severity};

/// How strongly a rule is stated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// The specification says MUST or MUST NOT.
    Must,
    /// The specification says SHOULD or SHOULD NOT.
    Should,
    /// The specification says MAY: nothing to break.
    May,
    /// A published schema demands it.
    Schema,
    /// Stated without a key word, or follows from what is stated.
    Implied,
    /// Not in the specification; clients or servers depend on it.
    Practice,
}

macro_rules! rules {
    ($($name:ident $id:literal $level:ident $layer:ident $sentence:literal;)*) => {
        /// A requirement with a stable id.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u16)]
        #[non_exhaustive]
        #[allow(missing_docs)] // The table below is the documentation: `id` and `sentence`.
        pub enum Rule { $($name,)* }

        impl Rule {
            /// Every rule, in the order of the table.
            pub const ALL: &'static [Rule] = &[$(Rule::$name,)*];
            /// How many there are.
            pub const COUNT: usize = Self::ALL.len();

            /// The stable id, such as `SSE-04`.
            pub fn id(self) -> &'static str { match self { $(Rule::$name => $id,)* } }
            /// How strongly it is stated.
            pub fn level(self) -> Level { match self { $(Rule::$name => Level::$level,)* } }
            /// Which layer checks it.
            pub fn layer(self) -> Layer { match self { $(Rule::$name => Layer::$layer,)* } }
            /// The rule in one sentence.
            pub fn sentence(self) -> &'static str { match self { $(Rule::$name => $sentence,)* } }
        }
    };
}

impl Rule {
    /// Finds a rule by its id.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|rule| rule.id() == id)
    }

    /// What breaking it weighs before any profile.
    pub fn severity(self) -> Severity {
        match self.level() {
            Level::Must | Level::Schema | Level::Implied => Severity::Error,
            Level::Should => Severity::Warning,
            Level::May | Level::Practice => Severity::Note,
        }
    }
}

rules! {
    Http01 "HTTP-01" Must Transport "";
    Http02 "HTTP-02" Must Transport "";
    Http03 "HTTP-03" Must Transport "";
    Http04 "HTTP-04" Must Transport "";
    Http05 "HTTP-05" Must Transport "";
    Http06 "HTTP-06" Must Transport "";
    Http07 "HTTP-07" Must Transport "";
    Http08 "HTTP-08" Implied Transport "";
    Http09 "HTTP-09" Implied Transport "";
    Sse01 "SSE-01" Must Framing "";
    Sse02 "SSE-02" Must Framing "";
    Sse03 "SSE-03" Implied Framing "";
    Sse04 "SSE-04" Must Framing "";
    Sse05 "SSE-05" Should Framing "";
    Sse06 "SSE-06" Implied Framing "";
    Sse07 "SSE-07" Implied Framing "";
    Sse08 "SSE-08" Implied Framing "";
    Sse09 "SSE-09" Practice Framing "";
    Sse10 "SSE-10" Implied Framing "";
    Sse11 "SSE-11" Practice Framing "";
    Seq01 "SEQ-01" Schema Schema "";
    Seq02 "SEQ-02" Implied Stream "";
    Seq03 "SEQ-03" Implied Stream "";
    Seq04 "SEQ-04" Implied Stream "";
    Seq05 "SEQ-05" Practice Stream "";
    Seq06 "SEQ-06" Implied Stream "";
    Seq07 "SEQ-07" Schema Schema "";
    Seq08 "SEQ-08" Implied Stream "";
    Seq09 "SEQ-09" Implied Stream "";
    Life01 "LIFE-01" Must Stream "";
    Life02 "LIFE-02" Practice Stream "";
    Life03 "LIFE-03" Implied Stream "";
    Life04 "LIFE-04" Schema Schema "";
    Life05 "LIFE-05" Implied Stream "";
    Life06 "LIFE-06" Implied Stream "";
    Life07 "LIFE-07" Implied Stream "";
    Life08 "LIFE-08" Practice Stream "";
    Life09 "LIFE-09" Implied Stream "";
    Life10 "LIFE-10" Implied Stream "";
    Life11 "LIFE-11" Implied Stream "";
    Life12 "LIFE-12" Schema Schema "";
    Life13 "LIFE-13" Implied Stream "";
    Item01 "ITEM-01" Must Stream "";
    Item02 "ITEM-02" Must Stream "";
    Item03 "ITEM-03" Must Stream "";
    Item04 "ITEM-04" Must Stream "";
    Item05 "ITEM-05" Implied Stream "";
    Item06 "ITEM-06" Implied Stream "";
    Item07 "ITEM-07" Implied Stream "";
    Item08 "ITEM-08" Must Stream "";
    Item09 "ITEM-09" Must Stream "";
    Item10 "ITEM-10" Practice Stream "";
    Item11 "ITEM-11" Implied Stream "";
    Item12 "ITEM-12" Practice Stream "";
    Item13 "ITEM-13" Implied Stream "";
    Item14 "ITEM-14" Implied Stream "";
    Item15 "ITEM-15" Schema Schema "";
    Item16 "ITEM-16" Should Stream "";
    Item17 "ITEM-17" Should Stream "";
    Item18 "ITEM-18" Must Stream "";
    Item19 "ITEM-19" Implied Stream "";
    Item20 "ITEM-20" Schema Schema "";
    Part01 "PART-01" Must Stream "";
    Part02 "PART-02" Must Stream "";
    Part03 "PART-03" Implied Stream "";
    Part04 "PART-04" Implied Stream "";
    Part05 "PART-05" Implied Stream "";
    Part06 "PART-06" May Stream "";
    Part07 "PART-07" Implied Stream "";
    Part08 "PART-08" Practice Stream "";
    Part09 "PART-09" Implied Stream "";
    Part10 "PART-10" Implied Stream "";
    Part11 "PART-11" Implied Stream "";
    Part12 "PART-12" Schema Schema "";
    Part13 "PART-13" Implied Stream "";
    Text01 "TEXT-01" Implied Stream "";
    Text02 "TEXT-02" Implied Stream "";
    Text03 "TEXT-03" Schema Schema "";
    Text04 "TEXT-04" Schema Schema "";
    Text05 "TEXT-05" Implied Stream "";
    Text06 "TEXT-06" Implied Stream "";
    Text07 "TEXT-07" Schema Schema "";
    Text08 "TEXT-08" Implied Stream "";
    Text09 "TEXT-09" Schema Schema "";
    Ann01 "ANN-01" Implied Stream "";
    Ann02 "ANN-02" Practice Stream "";
    Ann03 "ANN-03" Implied Stream "";
    Ann04 "ANN-04" Schema Schema "";
    Ann05 "ANN-05" Implied Stream "";
    Ann06 "ANN-06" Schema Schema "";
    Ann07 "ANN-07" Practice Stream "";
    Ref01 "REF-01" Implied Stream "";
    Ref02 "REF-02" Implied Stream "";
    Ref03 "REF-03" Implied Stream "";
    Ref04 "REF-04" Schema Schema "";
    Rsn01 "RSN-01" May Stream "";
    Rsn02 "RSN-02" Schema Schema "";
    Rsn03 "RSN-03" Implied Stream "";
    Rsn04 "RSN-04" Schema Schema "";
    Rsn05 "RSN-05" Implied Stream "";
    Rsn06 "RSN-06" Implied Stream "";
    Rsn07 "RSN-07" Implied Stream "";
    Rsn08 "RSN-08" Schema Schema "";
    Rsn09 "RSN-09" Schema Schema "";
    Rsn10 "RSN-10" Schema Schema "";
    Rsn11 "RSN-11" Schema Schema "";
    Arg01 "ARG-01" Implied Stream "";
    Arg02 "ARG-02" Implied Stream "";
    Arg03 "ARG-03" Implied Stream "";
    Arg04 "ARG-04" Practice Stream "";
    Arg05 "ARG-05" Implied Stream "";
    Arg06 "ARG-06" Schema Schema "";
    Arg07 "ARG-07" Schema Schema "";
    Arg08 "ARG-08" Practice Stream "";
    Arg09 "ARG-09" Implied Stream "";
    Tool01 "TOOL-01" Must Stream "";
    Tool02 "TOOL-02" Must Stream "";
    Tool03 "TOOL-03" Implied Stream "";
    Tool04 "TOOL-04" Implied Stream "";
    Tool05 "TOOL-05" Must Stream "";
    Tool06 "TOOL-06" Must Stream "";
    Tool07 "TOOL-07" Implied Stream "";
    Tool08 "TOOL-08" Schema Schema "";
    Tool09 "TOOL-09" Implied Stream "";
    Tool10 "TOOL-10" Implied Stream "";
    Tool11 "TOOL-11" Implied Stream "";
    Tool12 "TOOL-12" Schema Schema "";
    Tool13 "TOOL-13" Schema Schema "";
    Tool14 "TOOL-14" Implied Stream "";
    Obj01 "OBJ-01" Schema Schema "";
    Obj02 "OBJ-02" Schema Schema "";
    Obj03 "OBJ-03" Schema Schema "";
    Obj04 "OBJ-04" Schema Schema "";
    Obj05 "OBJ-05" Schema Schema "";
    Obj06 "OBJ-06" Schema Schema "";
    Obj07 "OBJ-07" Implied Schema "";
    Obj08 "OBJ-08" Schema Schema "";
    Obj09 "OBJ-09" Schema Schema "";
    Obj10 "OBJ-10" Schema Schema "";
    Obj11 "OBJ-11" Implied Schema "";
    Obj12 "OBJ-12" Schema Schema "";
    Inc01 "INC-01" Implied Stream "";
    Inc02 "INC-02" Schema Schema "";
    Inc03 "INC-03" Implied Stream "";
    Inc04 "INC-04" Implied Stream "";
    Inc05 "INC-05" Practice Stream "";
    Err01 "ERR-01" Implied Stream "";
    Err02 "ERR-02" Implied Stream "";
    Err03 "ERR-03" Implied Stream "";
    Err04 "ERR-04" Schema Schema "";
    Err05 "ERR-05" Practice Stream "";
    Err06 "ERR-06" Implied Stream "";
    Err07 "ERR-07" Implied Stream "";
    Err08 "ERR-08" Implied Stream "";
    Err09 "ERR-09" Implied Stream "";
    Err10 "ERR-10" Implied Stream "";
    Err11 "ERR-11" Practice Stream "";
    Ext01 "EXT-01" Must Stream "";
    Ext02 "EXT-02" Must Stream "";
    Ext03 "EXT-03" Must Stream "";
    Ext04 "EXT-04" Must Stream "";
    Ext05 "EXT-05" Must Stream "";
    Ext06 "EXT-06" Should Stream "";
    Ext07 "EXT-07" Should Stream "";
    Ext08 "EXT-08" Must Stream "";
    Ext09 "EXT-09" Implied Stream "";
    Ext10 "EXT-10" Must Stream "";
    Ext11 "EXT-11" Implied Stream "";
    Ext12 "EXT-12" Practice Stream "";
    Req01 "REQ-01" Schema Transport "";
    Req02 "REQ-02" Schema Transport "";
    Req03 "REQ-03" Schema Transport "";
    Req04 "REQ-04" Schema Transport "";
    Prev01 "PREV-01" Must Transport "";
    Prev02 "PREV-02" Must Transport "";
    Prev03 "PREV-03" Implied Transport "";
    Prev04 "PREV-04" Implied Transport "";
    Prev05 "PREV-05" Practice Transport "";
    Trunc01 "TRUNC-01" Must Transport "";
    Trunc02 "TRUNC-02" Must Transport "";
    Trunc03 "TRUNC-03" Should Transport "";
    Tier01 "TIER-01" Should Transport "";
    Ws01 "WS-01" May Transport "";
    Ws02 "WS-02" Must Transport "";
    Ws03 "WS-03" Must Transport "";
    Ws04 "WS-04" Must Transport "";
    Ws05 "WS-05" Must Transport "";
    Ws06 "WS-06" Must Transport "";
    Ws07 "WS-07" Must Transport "";
    Ws08 "WS-08" Should Transport "";
    Ws09 "WS-09" Should Transport "";
    Ws10 "WS-10" Should Transport "";
    Ws11 "WS-11" Must Transport "";
    Ws12 "WS-12" Must Transport "";
    Ws13 "WS-13" Must Transport "";
    Ws14 "WS-14" Must Transport "";
    Ws15 "WS-15" Should Transport "";
    Ws16 "WS-16" Should Transport "";
    Ws17 "WS-17" Implied Transport "";
    Ws18 "WS-18" Practice Transport "";
    Cmp01 "CMP-01" Schema Transport "";
    Cmp02 "CMP-02" Schema Transport "";
    Cmp03 "CMP-03" Implied Transport "";
    Cmp04 "CMP-04" Implied Transport "";
    Cmp05 "CMP-05" Must Transport "";
    Cmp06 "CMP-06" Implied Transport "";
    Schema01 "SCHEMA-01" Schema Schema "A required field is present.";
    Schema02 "SCHEMA-02" Schema Schema "A value has the declared type.";
    Schema03 "SCHEMA-03" Schema Schema "A value is one of the declared ones.";
    Schema04 "SCHEMA-04" Schema Schema "A value keeps its declared bounds.";
    Schema05 "SCHEMA-05" Schema Schema "A value fits one of the declared variants.";
    Read01 "READ-01" Implied Framing "Text is UTF-8.";
    Read02 "READ-02" Practice Framing "A payload stays within the limits.";
    Read03 "READ-03" Practice Stream "JSON nesting stays within the depth limit.";
    Read04 "READ-04" Implied Stream "The stream is a Responses stream.";
    Read05 "READ-05" Practice Stream "Surrogate escapes come in pairs.";
    Read06 "READ-06" Practice Stream "A key stands once in an object.";
    Read07 "READ-07" Implied Stream "Routing fields have usable values.";
    Read08 "READ-08" Practice Stream "An event is sent once.";
    Read09 "READ-09" Practice Stream "A resumed stream goes on where it stopped.";
    Read10 "READ-10" Practice Stream "A response is readable from the start.";
}
