// What the calls that the build makes of JSX name.
export { createElement, Fragment } from "preact";
