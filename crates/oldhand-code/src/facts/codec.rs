//! Facts to bytes and back. Bytes from outside are never trusted: anything that does not add up reads as nothing.

use super::{
    Definition, Export, FileFacts, Import, ImportForm, Name, Names, Reach, Receiver, Reference,
    ReferenceKind, SymbolKind, Syntax, Visibility,
};

const REFERENCE_KINDS: [ReferenceKind; 7] = [
    ReferenceKind::Use,
    ReferenceKind::Type,
    ReferenceKind::Call,
    ReferenceKind::Construct,
    ReferenceKind::Extends,
    ReferenceKind::Implements,
    ReferenceKind::Alias,
];
const VISIBILITIES: [Visibility; 3] = [Visibility::Private, Visibility::Inner, Visibility::Public];

pub fn encode(facts: &FileFacts) -> Vec<u8> {
    let mut out = Writer(Vec::with_capacity(
        facts.names.text.len() + facts.references.len() * 6 + 64,
    ));
    out.number(facts.names.ends.len() as u32);
    let mut last = 0;
    for &end in &facts.names.ends {
        out.number(end - last);
        last = end;
    }
    out.0.extend_from_slice(facts.names.text.as_bytes());
    out.number(facts.lines);
    out.option(facts.doc);
    out.option(facts.package);
    out.0.push(u8::from(facts.syntax == Syntax::Broken));
    out.number(facts.definitions.len() as u32);
    for definition in &facts.definitions {
        out.0.push(definition.kind as u8);
        out.number(definition.name.0);
        out.option(definition.container.map(Name));
        out.option(definition.owner);
        out.0.push(definition.visibility as u8);
        out.number(definition.signature.0);
        out.option(definition.doc);
        out.option(definition.value_type);
        out.option(definition.parameters);
        out.number(definition.first_line);
        out.number(definition.last_line - definition.first_line);
        out.0.extend_from_slice(&definition.body.to_le_bytes());
    }
    out.number(facts.imports.len() as u32);
    for import in &facts.imports {
        out.number(import.source.0);
        match import.form {
            ImportForm::Module => out.0.push(0),
            ImportForm::All => out.0.push(1),
            ImportForm::Effect => out.0.push(2),
            ImportForm::Named(name) => {
                out.0.push(3);
                out.number(name.0);
            }
        }
        out.option(import.local);
        out.0.push(match import.reach {
            Reach::Private => 0,
            Reach::Visible => 1,
            Reach::Reexported => 2,
        });
        out.number(import.line);
    }
    out.number(facts.exports.len() as u32);
    for export in &facts.exports {
        out.number(export.name.0);
        out.number(export.local.0);
    }
    out.number(facts.references.len() as u32);
    for reference in &facts.references {
        let (tag, name) = match reference.receiver {
            Receiver::None => (0, None),
            Receiver::Itself => (1, None),
            Receiver::Parent => (2, None),
            Receiver::Unknown => (3, None),
            Receiver::Path(name) => (4, Some(name)),
            Receiver::Typed(name) => (5, Some(name)),
            Receiver::Returned(name) => (6, Some(name)),
        };
        out.0.push((reference.kind as u8) << 4 | tag);
        out.number(reference.name.0);
        if let Some(name) = name {
            out.number(name.0);
        }
        out.option(reference.within.map(Name));
        out.number(reference.line);
    }
    out.0
}

pub fn decode(bytes: &[u8]) -> Option<FileFacts> {
    let mut input = Reader {
        bytes,
        at: 0,
        names: 0,
    };
    let count = input.count()?;
    let mut ends = Vec::with_capacity(count);
    let mut last = 0_u32;
    for _ in 0..count {
        last = last.checked_add(input.number()?)?;
        ends.push(last);
    }
    let text = std::str::from_utf8(input.take(last as usize)?)
        .ok()?
        .to_owned();
    if ends.iter().any(|&end| !text.is_char_boundary(end as usize)) {
        return None;
    }
    input.names = count as u32;
    let names = Names { text, ends };
    let lines = input.number()?;
    let doc = input.optional_name()?;
    let package = input.optional_name()?;
    let syntax = if input.byte()? == 0 {
        Syntax::Clean
    } else {
        Syntax::Broken
    };
    let count = input.count()?;
    let mut definitions = Vec::with_capacity(count);
    for at in 0..count {
        let kind = *SymbolKind::ALL.get(usize::from(input.byte()?))?;
        let name = input.name()?;
        let container = input.optional()?;
        if container.is_some_and(|container| container as usize >= at) {
            return None;
        }
        let owner = input.optional_name()?;
        let visibility = *VISIBILITIES.get(usize::from(input.byte()?))?;
        let signature = input.name()?;
        let doc = input.optional_name()?;
        let value_type = input.optional_name()?;
        let parameters = input.optional_name()?;
        let first_line = input.number()?;
        let last_line = first_line.checked_add(input.number()?)?;
        let body = u64::from_le_bytes(input.take(8)?.try_into().ok()?);
        definitions.push(Definition {
            kind,
            name,
            container,
            owner,
            visibility,
            signature,
            doc,
            value_type,
            parameters,
            first_line,
            last_line,
            body,
        });
    }
    let count = input.count()?;
    let mut imports = Vec::with_capacity(count);
    for _ in 0..count {
        let source = input.name()?;
        let form = match input.byte()? {
            0 => ImportForm::Module,
            1 => ImportForm::All,
            2 => ImportForm::Effect,
            3 => ImportForm::Named(input.name()?),
            _ => return None,
        };
        let local = input.optional_name()?;
        let reach = match input.byte()? {
            0 => Reach::Private,
            1 => Reach::Visible,
            2 => Reach::Reexported,
            _ => return None,
        };
        imports.push(Import {
            source,
            form,
            local,
            reach,
            line: input.number()?,
        });
    }
    let count = input.count()?;
    let mut exports = Vec::with_capacity(count);
    for _ in 0..count {
        exports.push(Export {
            name: input.name()?,
            local: input.name()?,
        });
    }
    let count = input.count()?;
    let mut references = Vec::with_capacity(count);
    for _ in 0..count {
        let tag = input.byte()?;
        let kind = *REFERENCE_KINDS.get(usize::from(tag >> 4))?;
        let name = input.name()?;
        let receiver = match tag & 15 {
            0 => Receiver::None,
            1 => Receiver::Itself,
            2 => Receiver::Parent,
            3 => Receiver::Unknown,
            4 => Receiver::Path(input.name()?),
            5 => Receiver::Typed(input.name()?),
            6 => Receiver::Returned(input.name()?),
            _ => return None,
        };
        let within = input.optional()?;
        if within.is_some_and(|within| within as usize >= definitions.len()) {
            return None;
        }
        references.push(Reference {
            kind,
            name,
            receiver,
            within,
            line: input.number()?,
        });
    }
    (input.at == bytes.len()).then_some(FileFacts {
        names,
        lines,
        doc,
        package,
        syntax,
        definitions,
        imports,
        exports,
        references,
    })
}

struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, mut value: u32) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    /// Nothing is 0, a number is itself plus one.
    fn option(&mut self, value: Option<Name>) {
        self.number(value.map_or(0, |name| name.0 + 1));
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    names: u32,
}

impl<'a> Reader<'a> {
    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let end = self.at.checked_add(count)?;
        let taken = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(taken)
    }

    fn number(&mut self) -> Option<u32> {
        let mut value = 0_u32;
        for shift in (0..35).step_by(7) {
            let byte = self.byte()?;
            value |= u32::from(byte & 0x7f).checked_shl(shift)?;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    /// A count of things that take at least one byte each, so that a lie cannot ask for more memory than there is input.
    fn count(&mut self) -> Option<usize> {
        let count = self.number()? as usize;
        (count <= self.bytes.len() - self.at).then_some(count)
    }

    #[expect(
        clippy::option_option,
        reason = "the outer one is the end of the input"
    )]
    fn optional(&mut self) -> Option<Option<u32>> {
        Some(self.number()?.checked_sub(1))
    }

    fn name(&mut self) -> Option<Name> {
        let name = self.number()?;
        (name < self.names).then_some(Name(name))
    }

    #[expect(
        clippy::option_option,
        reason = "the outer one is the end of the input"
    )]
    fn optional_name(&mut self) -> Option<Option<Name>> {
        let name = self.optional()?;
        match name {
            Some(name) if name >= self.names => None,
            found => Some(found.map(Name)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{decode, encode};
    use crate::extract::extract_for_tests;

    #[test]
    fn facts_come_back_as_they_were() {
        let source = "import { a as b } from './x'\n/** Doc. */\nexport class C extends b { m(x: D) { return x.f(this.m()) } }\nexport { C as default }\nexport * from './y'\n";
        let facts = extract_for_tests("a.ts", source);
        assert_eq!(decode(&encode(&facts)), Some(facts));
    }

    proptest! {
        #[test]
        fn broken_bytes_never_panic(mut bytes in proptest::collection::vec(any::<u8>(), 0..200), at in 0_usize..400, to in any::<u8>()) {
            let _ = decode(&bytes);
            bytes = encode(&extract_for_tests("a.ts", "import {a} from 'b'; export function f(x: T) { a.b(); x.y() }"));
            let at = at % bytes.len();
            bytes[at] = to;
            let _ = decode(&bytes);
            bytes.truncate(at);
            prop_assert_eq!(decode(&bytes), None);
        }
    }
}
