import type { ModelList } from '../../../src/contract/models.ts'
import type { Query } from '../../api/client.ts'
import { useAnswer } from '../../api/use-answer.ts'
import { Failure } from '../../parts/notice.tsx'
import type { Texts } from '../../parts/use-query.ts'
import type { ChatSettings } from './chat-body.ts'
import type { usePayers } from './payers.ts'

const MAX_MODELS = 4
const FIRST_MODEL = 'sandbox/echo'

type Change = (changes: Query) => void

export function modelsIn({ models = FIRST_MODEL }: Texts): readonly string[] {
  return models.split(',').slice(0, MAX_MODELS)
}

/** Which project pays, and with what kind of answers. */
export type Who = { project: string | undefined; kind: string | undefined }

type WhoProps = { who: Who; payers: NonNullable<ReturnType<typeof usePayers>['payers']>; change: Change }

export function WhoFields({ who: { project, kind }, payers, change }: WhoProps) {
  return (
    <>
      <label>
        Project that pays
        <select value={project} onChange={(event) => change({ project: event.currentTarget.value })}>
          {payers.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        Answers
        <select value={kind ?? 'live'} onChange={(event) => change({ kind: event.currentTarget.value })}>
          <option value="live">Real</option>
          <option value="sandbox">Simulated, free</option>
        </select>
      </label>
    </>
  )
}

type ModelProps = { models: readonly string[]; who: Who; change: Change }

export function ModelFields({ models, who, change }: ModelProps) {
  const isKnown = who.project !== undefined
  const { value, error, reload } = useAnswer<ModelList>(isKnown ? '/admin/playground/models' : undefined, who)
  const set = (changed: readonly string[]) => change({ models: changed.join(',') })
  return (
    <>
      {models.map((model, at) => (
        <div class="model-field" key={at}>
          <label>
            Model {at + 1}
            <input
              required
              list="models"
              value={model}
              onChange={(event) => set(models.with(at, event.currentTarget.value))}
            />
          </label>
          {models.length > 1 && (
            <button type="button" aria-label={`Remove model ${at + 1}`} onClick={() => set(models.toSpliced(at, 1))}>
              ✕
            </button>
          )}
        </div>
      ))}
      {models.length < MAX_MODELS && (
        <button type="button" onClick={() => set([...models, models.at(-1)!])}>
          Compare with another model
        </button>
      )}
      <datalist id="models">
        {value?.data.map(({ id }) => (
          <option key={id} value={id} />
        ))}
      </datalist>
      <Failure error={error} onRetry={reload} />
    </>
  )
}

type ChatProps = { settings: ChatSettings; set: (changes: Partial<ChatSettings>) => void }

export function ChatFields({ settings, set }: ChatProps) {
  return (
    <details class="chat-settings">
      <summary>System prompt, temperature, tools</summary>
      <div class="form-grid">
        <label>
          System prompt
          <textarea rows={3} value={settings.system} onInput={(event) => set({ system: event.currentTarget.value })} />
        </label>
        <label>
          Tools, as JSON
          <textarea
            rows={3}
            value={settings.tools}
            placeholder='[{ "type": "function", "function": { "name": "…" } }]'
            onInput={(event) => set({ tools: event.currentTarget.value })}
          />
        </label>
        <NumberField
          title="Temperature"
          value={settings.temperature}
          step={0.1}
          onInput={(temperature) => set({ temperature })}
        />
        <NumberField
          title="Most tokens of an answer"
          value={settings.maxTokens}
          step={1}
          onInput={(maxTokens) => set({ maxTokens })}
        />
      </div>
    </details>
  )
}

type NumberProps = { title: string; value: string; step: number; onInput: (text: string) => void }

function NumberField({ title, value, step, onInput }: NumberProps) {
  return (
    <label>
      {title}
      <input
        type="number"
        min={0}
        step={step}
        value={value}
        placeholder="of the model"
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </label>
  )
}
