import { CopyButton } from '../code-block.tsx'
import { coloured } from './colours.ts'

/** A program in colours. Lines that are too long scroll, so that what is copied is what is seen. */
export function Code({ text, language, label }: { text: string; language: string; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls has to be reachable by keyboard
    // biome-ignore lint/a11y/useSemanticElements: a fieldset holds fields
    <pre tabIndex={0} role="group" aria-label={label}>
      <code>
        {coloured(text, language).map(({ colour, text: piece }, at) =>
          colour ? (
            <span key={at} class={`code-${colour}`}>
              {piece}
            </span>
          ) : (
            piece
          ),
        )}
      </code>
    </pre>
  )
}

export function ColouredBlock({ text, language, label }: { text: string; language: string; label: string }) {
  return (
    <div class="code-block">
      <Code text={text} language={language} label={label} />
      <CopyButton text={text} what={label} />
    </div>
  )
}
