import { useState } from 'preact/hooks'
import { constraintsOf, typeName } from '../../../src/contract/openapi/read-document.ts'
import type { OpenApiDocument } from '../read/document.ts'
import { type Field, fieldsOf, type Inner, objectsIn } from '../read/fields.ts'
import { MarkedText } from './marked-text.tsx'

type Shown = Field & { note?: string }
type Props = { fields: readonly Shown[]; document: OpenApiDocument; trail: readonly string[] }

/** Fields with their types, limits and meanings. What required fields say comes first. */
export function FieldList({ fields, document, trail }: Props) {
  const sorted = [...fields.filter(({ isRequired }) => isRequired), ...fields.filter(({ isRequired }) => !isRequired)]
  return (
    <dl class="fields">
      {sorted.map((field) => (
        <FieldRow key={`${field.note} ${field.name}`} field={field} document={document} trail={trail} />
      ))}
    </dl>
  )
}

function FieldRow({ field, document, trail }: { field: Shown } & Omit<Props, 'fields'>) {
  const { name, schema, description, isRequired, note } = field
  const constraints = constraintsOf(schema)
  const inner = objectsIn(schema, document, trail)
  return (
    <div>
      <dt>
        <code>{name}</code> <span class="type">{[typeName(schema), ...(note ? [note] : [])].join(' · ')}</span>
        {isRequired && <em>required</em>}
      </dt>
      <dd>
        {description && (
          <p>
            <MarkedText text={description} />
          </p>
        )}
        {constraints.length > 0 && <p class="limits">{constraints.join(' · ')}</p>}
        {inner.map((one) => (
          <InnerFields key={one.title} inner={one} document={document} />
        ))}
      </dd>
    </div>
  )
}

/** Drawn when the reader opens it, because most types contain many others. */
export function InnerFields({ inner, document }: { inner: Inner; document: OpenApiDocument }) {
  const [isOpen, setOpen] = useState(false)
  const { title, schema, trail } = inner
  return (
    <details class="inner" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title ? `Fields of ${title}` : 'Fields'}</summary>
      {isOpen && <FieldList fields={fieldsOf(schema, document)} document={document} trail={trail} />}
    </details>
  )
}
