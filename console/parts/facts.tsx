import type { ComponentChildren } from 'preact'

/** What is known of a thing, by name. What is not known, or does not apply, is left out. */
export function Facts({ of: facts }: { of: Readonly<Record<string, ComponentChildren>> }) {
  return (
    <dl class="facts">
      {Object.entries(facts).map(
        ([title, value]) =>
          value !== undefined &&
          value !== null &&
          value !== '' &&
          value !== false && (
            <div key={title}>
              <dt>{title}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  )
}
