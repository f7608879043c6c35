import type { ComponentChildren } from 'preact'
import { useLocation } from 'preact-iso/router'
import { useEffect, useState } from 'preact/hooks'
import { me, signOut } from '../api/session.ts'
import { Icon } from '../parts/icons/icon.tsx'
import { Mark } from '../parts/icons/mark.tsx'
import { ThemeChoice } from '../parts/theme-choice.tsx'
import { zoneName } from '../parts/format.ts'
import { toast } from '../parts/toast.tsx'
import { useControlKey, useShortcut } from '../parts/shortcuts.ts'
import { FindAnything } from './find-anything.tsx'
import { KeyboardHelp } from './keyboard-help.tsx'
import type { Screen } from './screens.ts'

type Shown = 'find' | 'help'
type Props = { screens: readonly Screen[]; children: ComponentChildren }

/** Navigation and frame. On a narrow window the navigation is behind a button. */
export function Shell({ screens, children }: Props) {
  const { path } = useLocation()
  const [isOpen, setOpen] = useState(false)
  const [shown, setShown] = useState<Shown>()
  useEffect(() => setOpen(false), [path])
  // One dialog at a time: what is open may have been changed and not saved.
  useControlKey('k', () => document.querySelector('dialog[open]') ?? setShown('find'))
  useShortcut('?', () => setShown('help'))
  const close = () => setShown(undefined)
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="top">
        <Brand />
        <button type="button" aria-expanded={isOpen} aria-controls="menu" onClick={() => setOpen(!isOpen)}>
          <Icon name="menu" /> Menu
        </button>
      </header>
      <div id="menu" class={isOpen ? 'menu open' : 'menu'}>
        <header>
          <Brand />
        </header>
        <button type="button" class="find" onClick={() => setShown('find')}>
          <span>
            <Icon name="find" /> Find
          </span>{' '}
          <kbd>Ctrl K</kbd>
        </button>
        <Navigation screens={screens} path={path} />
        <Person onHelp={() => setShown('help')} />
      </div>
      <main id="main" tabIndex={-1}>
        {children}
        <p class="zone">Times are in {zoneName()}.</p>
      </main>
      {shown === 'find' && <FindAnything screens={screens} onClose={close} />}
      {shown === 'help' && <KeyboardHelp onClose={close} />}
    </div>
  )
}

function Brand() {
  return (
    <a class="brand" href="/">
      <Mark /> Gatehouse
    </a>
  )
}

function Navigation({ screens, path }: { screens: readonly Screen[]; path: string }) {
  const listed = screens.filter(({ section }) => section !== undefined)
  const sections = Map.groupBy(listed, ({ section }) => section)
  return (
    <nav aria-label="Screens">
      {[...sections].map(([section, within]) => (
        <section key={section}>
          <h2>{section}</h2>
          <ul>
            {within.map((screen) => (
              <li key={screen.path}>
                <a href={screen.path} aria-current={screen.path === path ? 'page' : undefined}>
                  {screen.icon && <Icon name={screen.icon} />}
                  {screen.title}
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  )
}

function Person({ onHelp }: { onHelp: () => void }) {
  const { account, memberships, ...asker } = me.value!
  const name = account?.name ?? asker.name
  const leave = () => signOut().catch(({ message }: Error) => toast(message, 'bad'))
  const roles = [...new Set(memberships.map(({ role }) => role))].join(', ')
  return (
    <footer>
      <ThemeChoice />
      <p class="person">
        <a href="/account" title={`${name}: your account`}>
          {name}
        </a>
        <small>{roles}</small>
      </p>
      <p class="links">
        <a href="/docs">
          <Icon name="docs" /> API docs
        </a>
        <button type="button" class="quiet" onClick={onHelp}>
          <Icon name="keyboard" /> Keyboard shortcuts
        </button>
        <button type="button" class="quiet" onClick={() => void leave()}>
          <Icon name="leave" /> Sign out
        </button>
      </p>
    </footer>
  )
}
