// The engines inside the gateway: the input and the output of each.
import type { ValidationIssue } from '../../base/schema/validation-issue.ts'

export type Engines = {
  language: { input: { text: string }; output: { code: string; confidence: number }[] }
  sentiment: { input: { text: string }; output: { whole: number; sentences: { text: string; score: number }[] } }
  profanity: { input: { text: string }; output: Finding[] }
  entities: { input: { text: string }; output: (Finding & { text: string })[] }
  syntax: { input: { text: string }; output: TaggedWord[] }
  keywords: { input: { text: string; max: number }; output: { phrase: string; weight: number }[] }
  summary: { input: { text: string; sentences: number }; output: string[] }
  privacy: { input: { texts: readonly string[]; kinds: readonly PersonalKind[] }; output: PersonalData[][] }
  /**
   * The personal data in each text, as far as it is certain without the text that follows: `end`, and the state to continue
   * with.
   */
  redact_pii: {
    input: { parts: readonly ScannedPart[]; kinds: readonly PersonalKind[] }
    output: { found: PersonalData[]; end: number; state: ScanState }[]
  }
  spelling: { input: { text: string }; output: (Finding & { suggestions: string[] })[] }
  pdf: { input: { bytes: Uint8Array }; output: { pages: ReadPage[] } }
  /** A document with only this page. */
  pdf_page: { input: { bytes: Uint8Array; page: number }; output: { bytes: Uint8Array } }
  scan: { input: { bytes: Uint8Array; page: number }; output: ReadPage }
  office: { input: { bytes: Uint8Array }; output: { pages: string[] } }
  /** The text of a page of HTML. */
  web_page: { input: { html: string }; output: { title: string; text: string } }
  image: { input: { bytes: Uint8Array }; output: { pages: ReadPage[] } }
  mask: { input: { bytes: Uint8Array; redrawn: MaskColour }; output: PaintedMask }
  barcodes: { input: { bytes: Uint8Array }; output: { text: string; format: string; box: Box }[] }
  embeddings: { input: { texts: string[] }; output: number[][] }
  /** The schema as JSON text. */
  json_heal: { input: { content: string; schema: string }; output: HealedJson }
  /** For each text the index of the word or pattern that it contains, or -1. */
  block_patterns: { input: { list: WordsAndPatterns; texts: readonly string[] }; output: number[] }
  /** Speed 1 is normal. The bytes are a WAV file. */
  speech: { input: { text: string; voice: string; speed: number }; output: { bytes: Uint8Array } }
}

export type EngineName = keyof Engines

/** A word or a mark: its part of speech as Universal Dependencies has it, its dictionary form, and what else is known of it. */
export type TaggedWord = { text: string; part: string; lemma: string | null; features: Record<string, string> }

/** An answer that was meant to be JSON: the repaired text, or what is wrong with it. */
export type HealedJson = { text: string } | { issues: ValidationIssue[] }
export type WordsAndPatterns = {
  words?: string[] | null | undefined
  patterns?: string[] | null | undefined
  ignore_case?: boolean | null | undefined
}

/** The area to redraw gets this colour, the rest gets the other one. */
export type MaskColour = 'white' | 'black'
/** A mask whose transparent area got a colour; a mask without transparency (`plain`); or a file that cannot be read. */
export type PaintedMask = { redrawn: MaskColour } & (
  | { kind: 'painted'; bytes: Uint8Array }
  | { kind: 'plain' }
  | { kind: 'unreadable' }
)

/** Something found in a text. Offsets are those of JavaScript strings, so `text.slice(start, end)` returns it. */
export type Finding = Span & { label: string }
export type Span = { start: number; end: number }

/** Addresses and names are found by analysing sentences; all other kinds have a recognisable form. */
export type PersonalKind = 'email' | 'iban' | 'card' | 'national_id' | 'ip' | 'phone' | 'address' | 'name'
export type PersonalData = Span & { kind: PersonalKind }

type ScannedPart = { text: string; isAll: boolean; state: ScanState }
/** The text before a piece that was cut inside a word, and the offset up to which the piece is known to belong together. */
export type ScanState = { context: string; joined: number }

/** The lines of a page from top to bottom. If the layout of a page is unknown, its lines have no position. */
export type ReadPage = { lines: ReadLine[] }
export type ReadLine = Omit<ReadWord, 'box'> & { box: Box | null; words: ReadWord[] }
/** The confidence is from 0 to 100, or null for text that needed no recognition. */
export type ReadWord = { text: string; box: Box; confidence: number | null }
/** Fractions of the width and the height of the page, from 0 to 1. */
export type Box = { left: number; top: number; width: number; height: number }

/** Runs one piece of work in an engine. Owners share the threads fairly. */
export type RunEngine = <Name extends EngineName>(
  name: Name,
  input: Engines[Name]['input'],
  signal: AbortSignal,
  owner: string,
) => Promise<Engines[Name]['output']>
