import type { ComponentChildren } from 'preact'
import type { Who } from './who/who-fields.tsx'

/** `settings`: what every view has among its own settings. */
export type BenchProps = { who: Who; settings: ComponentChildren }

type Props = {
  /** The column beside: who pays, which models, and how they are asked. */
  settings: ComponentChildren
  /** Above what was answered: reset, code and the like. */
  tools: ComponentChildren
  children: ComponentChildren
}

/** What is asked and answered, with the settings beside it; on a phone below it. */
export function Workbench({ settings, tools, children }: Props) {
  return (
    <div class="workbench">
      <section class="bench" aria-label="Conversation and results">
        <div class="bench-tools">
          {tools}
          <a class="to-settings" href="#playground-settings">
            Settings
          </a>
        </div>
        {children}
      </section>
      <aside class="bench-settings" id="playground-settings" aria-label="Settings" tabIndex={-1}>
        {settings}
      </aside>
    </div>
  )
}
