// Preact with htm: html`<p>${text}</p>` makes what Preact shows. A text in it stays a text.
import { h } from './vendor/preact.js'
import htm from './vendor/htm.js'

export const html = htm.bind(h)
export { render, Fragment } from './vendor/preact.js'
export { useState, useEffect, useLayoutEffect, useRef, useMemo, useCallback, useId } from './vendor/hooks.js'
