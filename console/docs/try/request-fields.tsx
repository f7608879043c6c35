import { AreaField, SelectField, TextField } from '../../parts/fields.tsx'
import type { Listed, OpenApiDocument } from '../read/document.ts'
import { type Draft, JSON_TYPE } from '../read/draft.ts'
import { changeDraft } from './drafts.ts'
import { FormFields } from './form-fields.tsx'

type Props = { listed: Listed; document: OpenApiDocument; draft: Draft }
const MIN_ROWS = 3
const MAX_ROWS = 18

/** Everything of a request but the key. */
export function RequestFields({ listed, document, draft }: Props) {
  const types = Object.keys(listed.operation.requestBody?.content ?? {})
  const change = (part: Partial<Draft>) => changeDraft(listed, { ...draft, ...part })
  return (
    <>
      <Parameters listed={listed} draft={draft} change={change} />
      {types.length > 1 && (
        <SelectField
          label="Body as"
          value={draft.type ?? ''}
          set={(type) => change({ type })}
          choices={Object.fromEntries(types.map((type) => [type, type]))}
        />
      )}
      {draft.type === JSON_TYPE && <JsonField text={draft.body} set={(body) => change({ body })} />}
      {draft.type !== undefined && draft.type !== JSON_TYPE && (
        <FormFields listed={listed} document={document} draft={draft} change={change} />
      )}
    </>
  )
}

type ChangeProps = { listed: Listed; draft: Draft; change: (part: Partial<Draft>) => void }

/** Those of the path first; the others are seldom needed. */
function Parameters({ listed, draft, change }: ChangeProps) {
  const { parameters = [] } = listed.operation
  const field = ({ name, required }: (typeof parameters)[number]) => (
    <TextField
      key={name}
      label={name}
      isRequired={required}
      value={draft.parameters[name] ?? ''}
      set={(text) => change({ parameters: { ...draft.parameters, [name]: text } })}
    />
  )
  const [needed, others] = [parameters.filter(isNeeded), parameters.filter((one) => !isNeeded(one))]
  return (
    <>
      {needed.map(field)}
      {others.length > 0 && (
        <details class="more-fields">
          <summary>Optional parameters ({others.length})</summary>
          <div class="stack">{others.map(field)}</div>
        </details>
      )}
    </>
  )
}

function isNeeded({ required }: { required: boolean }): boolean {
  return required
}

function JsonField({ text, set }: { text: string; set: (text: string) => void }) {
  const rows = Math.min(MAX_ROWS, Math.max(MIN_ROWS, text.split('\n').length))
  const fault = faultIn(text)
  return (
    <div class="json-field">
      <AreaField label="Body, as JSON" rows={rows} value={text} set={set} />
      {fault && <small class="fault">{fault}</small>}
    </div>
  )
}

/** It can be sent nevertheless: the gateway says what it thinks of it. */
function faultIn(text: string): string | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return `Not JSON yet: ${(error as Error).message}`
  }
}
