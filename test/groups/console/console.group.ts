import { after } from 'node:test'
import { closeShared, keepShared } from '../../console/shared.ts'
import { runGroup } from '../run-group.ts'

keepShared()
after(closeShared)
runGroup('console')
