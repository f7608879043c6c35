import type { ComponentType } from 'preact'
import lazy, { ErrorBoundary } from 'preact-iso/lazy'
import { LocationProvider, Route, Router } from 'preact-iso/router'
import { useEffect, useState } from 'preact/hooks'
import { loadMe, may, me } from '../api/session.ts'
import { Failure, Loading } from '../parts/notice.tsx'
import { Toasts } from '../parts/toast.tsx'
import { Setup } from '../screens/sign-in/setup.tsx'
import { refusal } from '../screens/sign-in/refusal.ts'
import { SignIn } from '../screens/sign-in/sign-in.tsx'
import { Outdated, Refused, Unknown } from './refused.tsx'
import { SCREENS, type Screen } from './screens.ts'
import { Shell } from './shell.tsx'

const NAMES = SCREENS.flatMap(({ path }) => path.slice(1) || []).join('|')
/** Links to these are for the console. All others, such as `/docs` and downloads, are for the browser. */
const SCOPE = new RegExp(`^(?:\\?|/(?:(?:${NAMES})?(?:$|\\?)))`)

/** Made once: another component for each rendering would begin anew each time. */
const COMPONENTS = new Map<Screen, ComponentType>(SCREENS.map((screen) => [screen, lazy(orOutdated(screen.load))]))

/** A screen that cannot be loaded belongs to another version of the gateway than this page. */
function orOutdated(load: Screen['load']) {
  return () => load().catch(() => ({ default: Outdated }))
}

export function App() {
  if (location.pathname === '/sign-in' || refusal) return <SignIn refusal={refusal} />
  if (location.pathname === '/setup') return <Setup />
  return <SignedIn />
}

function isOpen({ needs }: Screen): boolean {
  return needs === undefined || may(needs)
}

function SignedIn() {
  const [error, setError] = useState<Error>()
  const load = () => {
    setError(undefined)
    loadMe().catch(setError)
  }
  useEffect(load, [])
  if (error)
    return (
      <main class="entrance">
        <Failure error={error} onRetry={load} />
      </main>
    )
  if (!me.value) return <Loading what="the console" />
  return (
    <LocationProvider scope={SCOPE}>
      <Shell screens={SCREENS.filter(isOpen)}>
        <Screens />
      </Shell>
      <Toasts />
    </LocationProvider>
  )
}

function Screens() {
  const [error, setError] = useState<Error>()
  if (error) return <Failure error={error} onRetry={() => location.reload()} />
  return (
    <ErrorBoundary onError={setError}>
      <Router>
        {[...COMPONENTS].map(([screen, component]) => (
          <Route key={screen.path} path={screen.path} component={isOpen(screen) ? component : Refused} />
        ))}
        <Route default component={Unknown} />
      </Router>
    </ErrorBoundary>
  )
}
