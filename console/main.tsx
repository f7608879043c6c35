import { render } from 'preact'
import { takeNext } from './api/next-path.ts'
import { App } from './app/app.tsx'
import { showTurningCharacters } from './plain-names.ts'
import './style/main.css'

showTurningCharacters()

const next = location.pathname === '/' ? takeNext() : undefined
if (next) history.replaceState(null, '', next)
render(<App />, document.getElementById('console')!)
