import { render } from 'preact'
import '../style/docs.css'
import { DocsPage } from './view/docs-page.tsx'

render(<DocsPage />, document.getElementById('docs')!)
