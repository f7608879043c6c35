/** How one model differs from what its dialect assumes: data of its catalog row, never an `if` on its name. Absent: no difference. */
export type ModelTraits = {
  /** Request fields it refuses (`temperature`, `top_p`, `stop`, …): left out, with a note. */
  refuses?: readonly string[]
  /** Request fields it refuses only while it thinks. */
  refusesWhileThinking?: readonly string[]
  thinking?: ThinkingTraits
  /** It goes on from an assistant message at the end of the conversation. */
  prefill?: boolean
  /** The longest answer it gives; where the wire demands a limit and the caller named none, this is sent. */
  maxOutput?: number
  /** Below this many tokens a cached prefix is refused or ignored: the mark is left out. */
  cacheMinTokens?: number
  /** Whose own words it wants where a wire leaves them to the maker of a model, as Bedrock does. */
  maker?: Maker
  /** On the OpenAI wire: a mark of a caller becomes a breakpoint of its cache. */
  cacheBreakpoints?: boolean
  /** What it cannot take although its dialect can say it. */
  lacks?: readonly Lacking[]
}

export type Maker = 'anthropic' | 'nova' | 'openai' | 'gpt-oss' | 'mistral' | 'other'

export type Lacking =
  | ('system' | 'tools' | 'vision' | 'files')
  | ('json_schema' | 'json_schema_with_tools' | 'thinking_with_tools')

/** The field that tells a model of the OpenAI wire to think. */
export type ThinkingField =
  | ('reasoning_effort' | 'thinking' | 'thinking_budget' | 'enable_thinking')
  | ('reasoning' | 'reasoning_enabled' | 'chat_template_kwargs')

export type ThinkingTraits = {
  /**
   * How it is told to think: `effort` by a word, `level` by Gemini's word, `budget` by a number of tokens, `adaptive` by
   * Anthropic's adaptive mode with an effort beside it; `none`: it cannot.
   */
  by: 'none' | 'effort' | 'level' | 'budget' | 'adaptive'
  /** The words it knows, weakest first; a word it lacks becomes the nearest one, with a note. */
  efforts?: readonly string[]
  /** Bounds of a budget in tokens. */
  minTokens?: number
  maxTokens?: number
  /** Where it is told on the OpenAI wire, if not where its provider usually is. */
  field?: ThinkingField
  /** It thinks unless told not to: silence is then not the same as `none`. */
  byDefault?: boolean
  /** It cannot be told not to think. */
  always?: boolean
  /** Its thoughts come as text only when a summary is asked for. */
  summaryOnRequest?: boolean
}
