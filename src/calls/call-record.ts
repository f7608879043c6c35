import type { GuardrailOutcome } from '../contract/admin/line-filters.ts'
import { Problem, problem } from '../contract/problems.ts'
import type { Note } from '../translation/dialects/chat-codec.ts'
import type { HookRun } from '../translation/hooks/hook.ts'
import type { AnswerFacts } from './call-trace.ts'
import { CLIENT_GONE, ClientGone } from './client-gone.ts'
import type { ContentDraft } from './content-draft.ts'
import type { Labels } from './labels.ts'
import type { AttemptRecord } from './attempt-record.ts'
import type { Retirement } from './retirement.ts'

/** What one check of a guardrail did in a call. */
type GuardrailRun = {
  guardrail: string
  /** Null for what no check can read. */
  check: string | null
  /** `would_…`: of a shadow guardrail. */
  outcome: GuardrailOutcome
  /** How often something was found. */
  count: number
  /** What was found, or why nothing was looked at; never the text itself. */
  rules: readonly string[]
}

/** Guardrails of a call, which also look at what a provider says about a failure. */
export type ReasonGuard = {
  readonly ids: readonly string[]
  /** Whether the caller may have these words as they are. */
  passesReason(words: readonly string[]): boolean
}

/** What happened to a call, for its metadata, its log and its spans. Only its own methods write to it. */
export type CallRecord = Readonly<CallRecorder>

const MAX_CHOICES = 16
const MAX_RULES = 20

export function newRecord(labels: Labels, content?: ContentDraft): CallRecord {
  return new CallRecorder(labels, content)
}

/** For a part of a call. What guards the call guards its parts. */
export function newPartRecord({ labels, reasonGuards }: Pick<CallRecord, 'labels' | 'reasonGuards'>): CallRecord {
  return new CallRecorder(labels, undefined, reasonGuards)
}

/** A model that is asked. */
type Begun = {
  readonly id: string
  readonly provider: { readonly id: string }
  readonly entry?: Retirement | undefined
}

/** An answer, or a chunk of one. */
type Answered = {
  readonly id?: string | undefined
  readonly model?: string | undefined
  readonly choices: readonly { readonly finish_reason?: string | null | undefined }[]
}

class CallRecorder {
  /** Whom the call is for, what it belongs to, which model was asked for. */
  labels: Labels
  /** What is kept of the content, if anything. */
  content: ContentDraft | undefined
  isStream = false
  /** The model and the provider of the latest attempt. */
  model: string | null = null
  provider: string | null = null
  /** The end of the model of the latest attempt, if the catalog knows of one. */
  retirement: Retirement | undefined
  /** Why the router chose these targets. */
  routing: object | null = null
  attempts: readonly AttemptRecord[] = []
  notes: readonly Note[] = []
  /** Those about the request itself, whichever model is asked. */
  #ofRequest: readonly Note[] = []
  hooks: readonly HookRun[] = []
  /** What guardrails did, in the order in which they first did something. */
  guardrails: readonly GuardrailRun[] = []
  reasonGuards: readonly ReasonGuard[]
  /** Only known if the call is traced. */
  answer: AnswerFacts | null = null
  /** On the monotonic clock. */
  firstTokenAt: number | null = null
  status = 200
  code: string | null = null

  constructor(labels: Labels, content: ContentDraft | undefined, reasonGuards: readonly ReasonGuard[] = []) {
    this.labels = labels
    this.content = content
    this.reasonGuards = reasonGuards
  }

  /** For a request whose model or fields are not in a JSON body: in the path, or in a form. */
  describe(labels: Labels): void {
    this.labels = labels
  }

  /** The content is kept with something else: a response in the background is a call of its own. */
  keepNoContent(): void {
    this.content = undefined
  }

  streams(): void {
    this.isStream = true
  }

  routed(decision: object): void {
    this.routing = decision
  }

  /** This model is asked next. */
  asks({ id, provider, entry }: Begun): void {
    this.model = id
    this.provider = provider.id
    this.retirement = entry?.retires_at === undefined ? undefined : entry
  }

  attempted(attempt: AttemptRecord): void {
    this.attempts = this.attempts.length === 0 ? [attempt] : [...this.attempts, attempt]
  }

  /** The answer of the latest attempt broke off after it had begun. */
  brokeOff(how: Pick<AttemptRecord, 'outcome' | 'reason' | 'durationMs'>): void {
    const latest = this.attempts.at(-1)
    if (latest) this.attempts = [...this.attempts.slice(0, -1), { ...latest, ...how }]
  }

  /** Notes about the request to the model that is asked now: those about requests to others do not count any more. */
  replaceNotes(notes: readonly Note[]): void {
    this.notes = this.#ofRequest.length > 0 ? [...this.#ofRequest, ...notes] : notes
  }

  /** Notes about the request that apply to every model. Its models may be looked for twice. */
  noteRequest(notes: readonly Note[]): void {
    const isNew = ({ field, reason }: Note) =>
      !this.#ofRequest.some((known) => known.field === field && known.reason === reason)
    const fresh = notes.filter(isNew)
    this.#ofRequest = [...this.#ofRequest, ...fresh]
    this.note(fresh)
  }

  note(notes: readonly Note[]): void {
    if (notes.length > 0) this.notes = [...this.notes, ...notes]
  }

  noteFirst(notes: readonly Note[]): void {
    if (notes.length > 0) this.notes = [...notes, ...this.notes]
  }

  hookRan(run: HookRun): void {
    this.hooks = [...this.hooks, run]
  }

  /** One entry for each check and what it did; `rule` is one of a few words. */
  guarded({ guardrail, check, outcome }: Omit<GuardrailRun, 'count' | 'rules'>, rule?: string): void {
    const isSame = (run: GuardrailRun) => run.guardrail === guardrail && run.check === check && run.outcome === outcome
    const known = this.guardrails.find(isSame) ?? { guardrail, check, outcome, count: 0, rules: [] }
    const rules = rule === undefined || known.rules.includes(rule) || known.rules.length >= MAX_RULES
    const run = {
      ...known,
      count: known.count + (rule === undefined ? 0 : 1),
      rules: rules ? known.rules : [...known.rules, rule],
    }
    this.guardrails = [...this.guardrails.filter((one) => !isSame(one)), run]
  }

  /** The same guardrails may be opened several times in a call, and look once. */
  guardsReasons(guard: ReasonGuard): void {
    const others = this.reasonGuards.filter(({ ids }) => !ids.every((id) => guard.ids.includes(id)))
    this.reasonGuards = [...others, guard]
  }

  /** How a whole answer ended, or a choice of a streamed one, in the provider's own words. */
  ended({ id, model, choices }: Answered): void {
    const { finishReasons, ...facts } = this.answer ?? { id, model, finishReasons: [] }
    const reasons = choices.flatMap(({ finish_reason }) => finish_reason ?? [])
    this.answer = { ...facts, finishReasons: [...finishReasons, ...reasons].slice(0, MAX_CHOICES) }
  }

  beganToAnswer(at: number): void {
    // Of several turns, the first one begins the answer.
    this.firstTokenAt ??= at
  }

  failed(reason: unknown): void {
    const isGone = reason instanceof ClientGone
    const reported = reason instanceof Problem ? reason : problem('internal_error')
    this.status = isGone ? CLIENT_GONE : reported.status
    this.code = isGone ? 'client_gone' : reported.code
  }
}
