import { mount } from "svelte";
import "./look/base.css";
import "./frame/frame.css";
import Shell from "./Shell.svelte";

const target = document.getElementById("app");
if (!target) throw new Error("index.html has no element with the id app.");

mount(Shell, { target });
