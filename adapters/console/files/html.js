// Preact with htm: html`<p>${text}</p>` makes what Preact shows. A text in it stays a text.
import { Fragment, h, render } from './vendor/preact.js'
import { useEffect, useErrorBoundary, useId, useLayoutEffect, useRef, useState } from './vendor/hooks.js'
import htm from './vendor/htm.js'

export const html = htm.bind(h)
export { Fragment, render, useEffect, useErrorBoundary, useId, useLayoutEffect, useRef, useState }
