import type { Content } from '../../../src/contract/openapi/document.ts'
import { resolve } from '../../../src/contract/openapi/read-document.ts'
import type { OpenApiDocument } from '../read/document.ts'
import { fieldsOf } from '../read/fields.ts'
import { FieldList } from './field-list.tsx'
import { MarkedText } from './marked-text.tsx'

/** The body of a request, in each form in which it may be sent. */
export function Body({ content, document }: { content: Content; document: OpenApiDocument }) {
  return Object.entries(content).map(([type, { schema = {} }]) => {
    const { description = '' } = resolve(schema, document)
    return (
      <section key={type}>
        <h2>
          Body <small>{type}</small>
        </h2>
        <p>
          <MarkedText text={description} />
        </p>
        <FieldList fields={fieldsOf(schema, document)} document={document} trail={schema.$ref ? [schema.$ref] : []} />
      </section>
    )
  })
}
