import { mount } from "svelte";
import "../look/base.css";
import Docs from "./Docs.svelte";

const target = document.getElementById("app");
if (!target) throw new Error("docs.html has no element with the id app.");

mount(Docs, { target });
