import { useState } from 'preact/hooks'
import type { CheckName } from '../../../src/contract/admin/guardrails.ts'
import { useSend } from '../../api/use-send.ts'
import { DescribedFieldRow, Marked } from '../../parts/described-field.tsx'
import type { DescribedField } from '../../parts/described-input.ts'
import { AreaField, SelectField } from '../../parts/fields.tsx'
import { Failure } from '../../parts/notice.tsx'
import { CHECK_FIELDS } from './check-fields.ts'
import { CHECK_EXAMPLES } from './examples.ts'
import { type CheckDraft, type ChecksDraft, checksIn, inForms, inJson, newCheck } from './guardrail-draft.ts'

const TITLES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(CHECK_EXAMPLES).map(([check, { title }]) => [check, title]),
)

type Props = { checks: ChecksDraft; set: (checks: ChecksDraft) => void }

/** Each check is a form of its parameters, or all of them are JSON. */
export function CheckForms({ checks, set }: Props) {
  const { error, send } = useSend()
  const change = () => send(async () => set('list' in checks ? inJson(checks) : inForms(checksIn(checks))))
  return (
    <fieldset class="stack">
      <legend>Checks</legend>
      {'list' in checks ? (
        <Forms list={checks.list} set={(list) => set({ list })} />
      ) : (
        <AreaField
          {...{ label: 'Checks and their parameters', value: checks.json, rows: 8, isRequired: true }}
          set={(json) => set({ json })}
        />
      )}
      <Failure error={error} />
      <div class="actions">
        <button type="button" class="link" onClick={() => void change()}>
          {'list' in checks ? 'Edit as JSON' : 'Edit as a form'}
        </button>
      </div>
    </fieldset>
  )
}

function Forms({ list, set }: { list: readonly CheckDraft[]; set: (list: readonly CheckDraft[]) => void }) {
  const change = (at: number, next: CheckDraft) => set(list.map((one, index) => (index === at ? next : one)))
  const add = (check: CheckName) => set([...list, newCheck(check, CHECK_EXAMPLES[check].params)])
  return (
    <>
      {list.map((draft, at) => (
        <CheckForm
          key={`${at} ${draft.check}`}
          draft={draft}
          set={(next) => change(at, next)}
          onRemove={() => set(list.filter((_, index) => index !== at))}
        />
      ))}
      <AddCheck add={add} isFirst={list.length === 0} />
    </>
  )
}

type AddProps = { add: (check: CheckName) => void; isFirst: boolean }

/** With a button: arrow keys lead through a list, and each step is a choice. */
function AddCheck({ add, isFirst }: AddProps) {
  const [chosen, setChosen] = useState<CheckName | ''>('')
  const press = ({ currentTarget: button }: { currentTarget: HTMLElement }) => {
    if (chosen !== '') add(chosen)
    setChosen('')
    // The button is disabled then.
    button.parentElement?.querySelector('select')?.focus()
  }
  return (
    <div class="filters">
      <SelectField
        {...{ label: isFirst ? 'Check' : 'Another check', value: chosen, isRequired: isFirst, set: setChosen }}
        choices={{ '': 'Choose a check', ...TITLES }}
      />
      <button type="button" disabled={chosen === ''} onClick={press}>
        Add check
      </button>
    </div>
  )
}

type FormProps = { draft: CheckDraft; set: (draft: CheckDraft) => void; onRemove: () => void }

function CheckForm({ draft, set, onRemove }: FormProps) {
  const { check, texts } = draft
  const { description, fields } = CHECK_FIELDS[check]
  const typed = (name: string) => (text: string) => set({ ...draft, texts: { ...texts, [name]: text } })
  // A field stays where it is while a person types.
  const [atFirst] = useState(() => fields.filter(({ name, required }) => required || texts[name] !== undefined))
  const row = (field: DescribedField) => (
    <DescribedFieldRow
      {...{ key: field.name, field, value: texts[field.name] ?? '', set: typed(field.name) }}
      none={field.usual === undefined ? 'not set' : `default: ${field.usual}`}
    />
  )
  const others = fields.filter((field) => !atFirst.includes(field))
  return (
    <fieldset class="check-form stack">
      <legend>{CHECK_EXAMPLES[check].title}</legend>
      <p class="faint">
        <Marked text={description} />
      </p>
      {atFirst.length > 0 && <div class="form-grid">{atFirst.map(row)}</div>}
      {others.length > 0 && (
        <details>
          <summary>More parameters</summary>
          <div class="form-grid">{others.map(row)}</div>
        </details>
      )}
      <div class="actions">
        <button type="button" onClick={onRemove}>
          Remove<span class="sr-only"> the check {CHECK_EXAMPLES[check].title}</span>
        </button>
      </div>
    </fieldset>
  )
}
