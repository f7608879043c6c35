import type { AliasBody } from '../../../src/contract/admin/aliases.ts'
import { TextField } from '../../parts/fields.tsx'
import type { FieldsProps } from './alias-draft.ts'

type Target = AliasBody['targets'][number]

/** The models behind the alias, each with its share of the calls. */
export function TargetFields({ draft: { targets }, set }: FieldsProps) {
  const change = (at: number, changes: Partial<Target>) =>
    set({ targets: targets.map((target, index) => (index === at ? { ...target, ...changes } : target)) })
  const remove = (at: number) => set({ targets: targets.filter((_, index) => index !== at) })
  return (
    <fieldset class="stack">
      <legend>Models</legend>
      {targets.map((target, at) => (
        <div key={at} class="filters">
          <OneTarget target={target} number={at + 1} change={(changes) => change(at, changes)} />
          {targets.length > 1 && (
            <button type="button" onClick={() => remove(at)}>
              Remove<span class="sr-only"> model {at + 1}</span>
            </button>
          )}
        </div>
      ))}
      <button type="button" onClick={() => set({ targets: [...targets, { model: '' }] })}>
        Add model
      </button>
    </fieldset>
  )
}

type Props = { target: Target; number: number; change: (changes: Partial<Target>) => void }

function OneTarget({ target: { model, weight, credential }, number, change }: Props) {
  return (
    <>
      <TextField
        {...{ label: `Model ${number}`, isRequired: true, placeholder: 'openai/gpt-4o-mini' }}
        {...{ value: model, set: (text) => change({ model: text.trim() }) }}
      />
      <TextField
        {...{ label: `Weight of model ${number}`, type: 'number', placeholder: '1', value: weight?.toString() ?? '' }}
        set={(text) => change({ weight: text === '' ? null : Number(text) })}
      />
      <TextField
        {...{ label: `Credential of model ${number}`, placeholder: 'any', value: credential ?? '' }}
        set={(text) => change({ credential: text || null })}
      />
    </>
  )
}
