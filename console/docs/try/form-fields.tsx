import { TextField } from '../../parts/fields.tsx'
import type { Listed, OpenApiDocument } from '../read/document.ts'
import { type Draft, formSchema, isFile } from '../read/draft.ts'
import { type Field, fieldsOf } from '../read/fields.ts'

type Props = { listed: Listed; document: OpenApiDocument; draft: Draft; change: (part: Partial<Draft>) => void }

/** The fields of a form with files. */
export function FormFields({ listed, document, draft, change }: Props) {
  const fields = fieldsOf(formSchema(listed, draft.type), document)
  const needed = fields.filter(({ isRequired, schema }) => isRequired || isFile(schema))
  const others = fields.filter((field) => !needed.includes(field))
  const show = (field: Field) => <FormField key={field.name} field={field} draft={draft} change={change} />
  return (
    <>
      {needed.map(show)}
      {others.length > 0 && (
        <details class="more-fields">
          <summary>Optional fields ({others.length})</summary>
          <div class="stack">{others.map(show)}</div>
        </details>
      )}
    </>
  )
}

function FormField({ field, draft, change }: { field: Field; draft: Draft; change: Props['change'] }) {
  const { name, schema, isRequired } = field
  if (!isFile(schema))
    return (
      <TextField
        label={name}
        isRequired={isRequired}
        value={draft.form[name] ?? ''}
        set={(text) => change({ form: { ...draft.form, [name]: text } })}
      />
    )
  const chosen = (event: { currentTarget: HTMLInputElement }) =>
    change({ files: { ...draft.files, [name]: [...(event.currentTarget.files ?? [])] } })
  return (
    <label>
      {name}
      <input type="file" required={isRequired} multiple={schema.type === 'array'} onChange={chosen} />
    </label>
  )
}
