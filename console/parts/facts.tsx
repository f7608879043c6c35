import { type ComponentChildren, Fragment } from 'preact'

type Known = Readonly<Record<string, ComponentChildren>>

/** What is known of a thing, by name. What is not known, or does not apply, is left out. */
export function Facts({ of: facts }: { of: Known }) {
  return (
    <dl class="facts">
      {Object.entries(facts)
        .filter(([, value]) => isKnown(value))
        .map(([title, value]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{typeof value === 'string' ? breakable(value) : value}</dd>
          </div>
        ))}
    </dl>
  )
}

/** Facts by their subject. A subject of which nothing is known is left out. */
export function FactGroups({ of: groups }: { of: Readonly<Record<string, Known>> }) {
  return (
    <>
      {Object.entries(groups)
        .filter(([, facts]) => Object.values(facts).some(isKnown))
        .map(([title, facts]) => (
          <section key={title} class="fact-group">
            <h3>{title}</h3>
            <Facts of={facts} />
          </section>
        ))}
    </>
  )
}

/** A long name breaks behind its marks, and not inside of a word. */
export function breakable(text: string): ComponentChildren {
  const parts = text.split(/(?<=[/_.@])/)
  return parts.map((part, at) => (
    <Fragment key={at}>
      {at > 0 && <wbr />}
      {part}
    </Fragment>
  ))
}

function isKnown(value: ComponentChildren): boolean {
  return value !== undefined && value !== null && value !== '' && value !== false
}
