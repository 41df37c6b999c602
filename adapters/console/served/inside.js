import{$ as us,$a as he,A as Ct,Aa as ee,B as _e,Ba as at,Ca as Ue,D as gn,Da as N,Ea as M,Fa as Bo,G as Ro,Ga as zo,H as Po,Ha as He,I as Ve,Ia as We,J as w,Ja as G,K as Q,Ka as Ft,L as ke,La as q,M as Do,Ma as ae,N as Ye,Na as Ge,O as A,Oa as hs,P as ms,Pa as z,Q as Ao,Qa as ge,R as Lo,Ra as Uo,S as xe,Sa as fe,T as _t,Ta as Ho,U as Ze,Ua as Wo,V as Ot,Va as Et,W as nt,Wa as Go,X as Tt,Xa as ft,Y as ds,Ya as Rt,Z as ps,Za as X,_ as F,_a as Ko,aa as E,ab as yn,b as Oo,ba as ot,bb as vn,c as g,ca as V,cb as kn,d as C,da as B,e as Ne,ea as Xe,eb as xn,f as Y,fa as $t,fb as Sn,ga as Io,h as st,ha as $s,i as r,ia as Mo,j as W,ja as j,k as me,ka as wn,l as Pe,la as be,m as K,ma as qt,n as cs,na as Z,o as To,oa as x,p as qo,pa as Ae,q as ie,qa as fs,r as De,ra as jo,s as Be,sa as re,t as Fo,ta as de,u as Eo,ua as rt,v as s,va as _,w as $e,wa as No,x as ze,xa as Vt,y as h,ya as f,z as se,za as U}from"./chunk.js";var Mi=50,Vo=5e3,_n=6e4,Jo=12,bs=400,Cn=class{constructor(t,n,o){this.path=t,this.query=n,this.size=o,this.entry=Ae("entry"),this.watchers=new Set,this.problem=null,this.loading=!1,this.empty=0,this.looked=0,this.leaves=new AbortController;let a=Ae("list"),i=j.get().query.get("at")||"";this.pages=a?.pages.map(([l,c])=>({cursor:l,rows:null,height:c,at:0}))||[],this.next=a?a.next:i,this.midst=!!(this.pages[0]?this.pages[0].cursor:i),this.anchor=a?.anchor||null,this.view=[0,1]}tell(){for(let t of[...this.watchers])t()}get pauses(){return this.next!==null&&this.empty>=cs}async more(){for(;!this.loading&&!this.problem&&this.next!==null&&!this.pauses;){this.loading=!0,this.tell();let{signal:t}=this.leaves=new AbortController;try{let n=this.next,{data:o,next_cursor:a,damaged:i}=await K("GET",this.path,{query:{...this.query,limit:this.size,cursor:n},signal:t});if(n!==this.next)continue;if((o.length||i||!this.pages.length)&&(this.pages=[...this.pages,{cursor:n,rows:o,height:0,at:W(),damaged:i?.length}]),this.next=a,this.empty=o.length?0:this.empty+1,this.looked+=a!==null&&o.length<this.size?Vo:o.length,o.length||!this.watchers.size)return}catch(n){if(t.aborted)return;n.code==="validation-failed"&&this.midst?(this.next="",this.midst=!1):this.problem=n}finally{this.loading=!1,this.tell()}}}async load(t){let n=this.pages[t];if(!(!n||n.loading)){n.loading=!0,this.tell();try{let{data:o,next_cursor:a,damaged:i}=await K("GET",this.path,{query:{...this.query,limit:this.size,cursor:n.cursor}});if(this.pages[t]!==n)return;n.rows=o,n.damaged=i?.length,n.at=W();let l=this.pages[t+1];(l?l.cursor!==a:this.next!==a)&&(this.pages=this.pages.slice(0,t+1),this.next=a)}catch(o){n.rows?n.at=W()-_n:this.problem=o}finally{n.loading=!1,this.tell()}}}retry(){this.problem=null;let t=this.pages.findIndex((n,o)=>!n.rows&&o===(this.anchor?.page??-1));t>=0?this.load(t):this.more(),this.tell()}further(){this.empty=0,this.more()}restart(){this.pages=[],this.next="",this.midst=!1,this.anchor=null,this.problem=null,this.empty=this.looked=0,this.tell(),this.more()}thin(t){this.pages.filter(n=>n.rows).length<=Jo||this.pages.forEach((n,o)=>{Math.abs(o-t)>Jo/2&&n.height&&(n.rows=null)})}state(){let{anchor:t,pages:n,next:o}=this,a=Math.max(0,Math.min(t?.page??0,n.length)-bs/2);return{pages:n.slice(a,a+bs).map(i=>[i.cursor,i.height]),next:n.length>a+bs?n[a+bs].cursor:o,anchor:t&&{...t,page:t.page-a}}}},ht=new Map;function gs(e=!1){for(let t of ht.values())if(!(e&&t.watchers.size)){for(let n of t.pages)n.at=0;t.tell()}}var Yo=()=>ht.clear(),ji=(e,t)=>j.get().entry+" "+e+JSON.stringify(t);function Ke({path:e,query:t={},row:n,id:o=b=>b.id,empty:a,label:i,lasting:l=!1,head:c,look:m="",count:d,size:p=Mi,arrange:u=b=>b,told:$}){let b=ji(e,t);return r`<${Ni} key=${b} ...${{name:b,path:e,query:t,row:n,id:o,empty:a,label:i,lasting:l,head:c,look:m,count:d,size:p,arrange:u,told:$}} />`}function Ni({name:e,path:t,query:n,row:o,id:a,empty:i,label:l,lasting:c,head:m,look:d,count:p,size:u,arrange:$,told:b}){let[y]=g(()=>{let I=ht.get(e);return I?I.anchor=Ae("list")?.anchor||I.anchor:(ht.set(e,I=new Cn(t,n,u)),ht.size>20&&ht.delete(ht.keys().next().value??"")),I}),[,v]=g(0),k=Y(null),O=Y(null),L=Y(y.anchor);C(()=>{let I=()=>v(te=>te+1);if(y.watchers.add(I),I(),L.current){let te=y.pages[L.current.page];te&&(!te.rows||W()-te.at>_n/2)&&y.load(L.current.page)}else y.pages.length||y.more();return()=>{y.watchers.delete(I),!y.watchers.size&&n.q&&y.leaves.abort()}},[]),Ne(()=>{let I=L.current;if(document.documentElement.style.setProperty("overflow-anchor",I?"none":""),!I||!k.current)return;let te=k.current.querySelector(`[data-page="${I.page}"]`),S=te?.querySelector(`[data-id="${CSS.escape(I.id)}"]`);S?scrollBy(0,S.getBoundingClientRect().top-I.top):te&&scrollTo(0,te.getBoundingClientRect().top+scrollY-I.top),(!y.pages[I.page]||y.pages[I.page].rows&&y.pages.every(le=>!le.loading))&&T()});let T=()=>{L.current=null,document.documentElement.style.setProperty("overflow-anchor","")};C(()=>T,[]),C(()=>{let I=T,te=()=>{L.current||zi(y,k.current)},S=0,le=()=>{clearTimeout(S),S=setTimeout(te,200),Qo(y,k.current,O.current)};for(let je of["wheel","touchstart","keydown"])addEventListener(je,I,{passive:!0});return addEventListener("scroll",le,{passive:!0}),addEventListener("resize",le,{passive:!0}),wn.add(te),()=>{clearTimeout(S);for(let je of["wheel","touchstart","keydown"])removeEventListener(je,I);removeEventListener("scroll",le),removeEventListener("resize",le),wn.delete(te)}},[]),C(()=>Qo(y,k.current,O.current));let{pages:H,problem:ne,loading:ce,next:Ie}=y;Bo(ne,()=>y.retry());let ue=H.reduce((I,te)=>I+(te.damaged||0),0),ve=n.q&&y.looked>=Vo&&s("list.looked",{count:F(y.looked)}),J=!H.length||y.midst?null:H.length>1||Ie!==null?!1:H[0].rows;C(()=>b?.(J),[J]);let oe=I=>I&&(J?$(I):I),Me=H.some(I=>oe(I.rows)?.length||!I.rows&&I.height),Qt=Ie===null&&!ue&&H.every(I=>oe(I.rows)?.length===0);return r`
    <div ref=${k} aria-busy=${ce}>
      ${y.midst&&r`<button type="button" class="button wide" onClick=${()=>y.restart()}>${s("list.start")}</button>`}
      ${!c&&r`<${Bi} list=${y} />`}
      ${ue>0&&r`<${ee} tone="bad"><p>${s("list.damaged",{n:ue})}</p><//>`}
      ${m?Me&&r`<table class="table ${d}" aria-label=${l}><thead>${m}</thead>
        ${H.map((I,te)=>r`<tbody key=${I.cursor} data-page=${te}>${oe(I.rows)?.map(S=>o(S))||r`<tr><td colspan="9" style=${{blockSize:(I.height||400)+"px"}}></td></tr>`}</tbody>`)}</table>`:H.map((I,te)=>r`
        <ul key=${I.cursor} class="rows" data-page=${te} aria-label=${l} style=${I.rows?void 0:{blockSize:(I.height||400)+"px"}}>
          ${I.rows?.map(S=>r`<li key=${a(S)} data-id=${a(S)}>${o(S)}</li>`)}
        </ul>`)}
      <div ref=${O} key=${H.length?"end":"begin"} class="end">
        ${ne?r`<${N} problem=${ne} retry=${()=>y.retry()} />`:Qt?r`<div class="empty"><${f} name="search" /><p>${i}</p></div>`:Ie===null?r`<p class="quiet">${s("list.end")}${p&&Me&&!y.midst&&H[H.length-1].rows&&r` · <span role="status">${p(H.reduce((I,te)=>I+(oe(te.rows)?.length??u),0))}</span>`}</p>`:y.pauses?r`<p class="quiet" role="status">${!(ve&&Me)&&s("list.paused")} ${ve}</p><button type="button" class="button wide" onClick=${()=>y.further()}>${s("list.further")}</button>`:r`<p class="quiet" role="status">${ve||s(Me||!ce?"list.more":"list.loading")}</p>`}
      </div>
    </div>`}function Bi({list:e}){let[t,n]=g(W);C(()=>{let l=()=>{document.hidden||n(W())},c=setInterval(l,15e3);return document.addEventListener("visibilitychange",l),()=>{clearInterval(c),document.removeEventListener("visibilitychange",l)}},[]);let o=e.pages.slice(...e.view).filter(l=>l.rows&&l.at).map(l=>l.at),a=Math.min(...o);if(!o.length||t-a<_n)return null;let i=()=>{for(let l of e.pages)l.at=0;e.tell()};return r`<p class="stale"><span>${s("list.stale",{time:Ot(new Date(a))})}</span>
    <button type="button" class="button" onClick=${i}><${f} name="rotate-cw" />${s("list.refresh")}</button></p>`}function Qo(e,t,n){if(!t||!n||document.hidden)return;let o=800,a=-1;for(let i of t.querySelectorAll("[data-page]")){let l=Number(i.getAttribute("data-page")),{top:c,bottom:m,height:d}=i.getBoundingClientRect(),p=e.pages[l];p&&(p.rows&&(p.height=d),!(m<-o||c>innerHeight+o)&&(a<0&&(a=l),e.view=[a,l+1],!(p.rows&&p.at)&&!e.problem&&e.load(l)))}a>=0&&e.thin(a),n.getBoundingClientRect().top<innerHeight+o&&e.pages.every(i=>!i.loading)&&e.more()}function zi(e,t){if(!t||Ae("entry")!==e.entry)return;let n=document.querySelector("header")?.getBoundingClientRect().bottom||0;if(e.anchor=null,scrollY>0)for(let i of t.querySelectorAll("[data-id]")){let{top:l,bottom:c}=i.getBoundingClientRect();if(!(c<=n)){e.anchor={page:Number(i.parentElement?.getAttribute("data-page")),id:i.getAttribute("data-id")||"",top:l};break}}let o=new URLSearchParams(location.search),a=e.anchor&&e.pages[e.anchor.page]?.cursor;a?o.set("at",a):o.delete("at"),fs({list:e.state()},o.size?"?"+o:"")}var Ui=[10n,15n,16n,20n,25n,30n,40n,50n,60n,80n];function Zo(e){let t=e>0n?e:10000n;for(let n=1n;;n*=10n){let o=Ui.find(a=>a*n*2n>=t);if(o)return[0n,o*n,o*n*2n]}}var Yt=(e,t)=>e>0n?Number(e*10000n/t)/100:0,Xo=(e,t)=>e.map((n,o)=>(o?"V":"M0 ")+(100-Yt(n,t))+"H"+(o+1)).join(""),er=(e,t,n)=>Math.max(0,Math.min(n-1,Math.floor(e*n/t)));function tr(e,t,n){let o={ArrowLeft:t-1,ArrowDown:t-1,ArrowRight:t+1,ArrowUp:t+1,Home:0,End:n-1}[e];return o===void 0?void 0:Math.max(0,Math.min(n-1,o))}var ws=e=>e.reduce((t,n)=>({trials:t.trials+n.trials,activations:t.activations+n.activations,extensions:t.extensions+n.extensions,spent:Xe(B(t.spent)+B(n.spent))}),{trials:0,activations:0,extensions:0,spent:"0"});function sr(e,t){let[n,o]=[B(e),B(t)];return n<o*10n?Math.round(Number((n-o)*1000n/o)/10):void 0}var nr=e=>e.filter(t=>t.day.slice(0,7)===e[e.length-1].day.slice(0,7));function ys(e,t,n){let o=t||n;return o&&B(e)<B(o)?o:""}var qn=new Map,Zt=new Map,Tn=new Map,On=Array.from({length:4},()=>Promise.resolve());function vs(){qn.clear(),Zt.clear(),Tn.clear()}function Hi(e){let t=Zt.size%On.length,n=On[t].then(async()=>{let{username:o}=await K("GET",e);return Zt.get(e)===n&&qn.set(e,o),o});return Zt.set(e,n),On[t]=n.catch(()=>{}),n}function Oe(e){let t=`/users/${e}`,n=e===h().id?h().username:qn.get(t)||"",[,o]=g(0);return C(()=>{if(n||!w("users:read"))return;let a=!0;return(Zt.get(t)||Hi(t)).then(()=>{a&&o(l=>l+1)},()=>{}),()=>{a=!1}},[t,n]),n}function or(e,t){let[n,o]=g("");return C(()=>{if(!e||!w("manage"))return;let a=!0,i=Tn.get(e)||K("GET",e).then(({data:l})=>l);return Tn.set(e,i),i.then(l=>{let c=l.find(m=>m.id===t);a&&c&&o(c.name||c.username||c.description||new URL(c.url).host)},()=>{}),()=>{a=!1}},[e,t]),n}var Wi=6.5*24*36e5,Gi=new Set(["not-found","not-allowed","insufficient-credits","username-taken","external-id-taken","line-not-trial","line-is-trial","period-too-long","tree-too-deep","balance-limit","no-balance","too-many-webhooks","webhook-disabled","too-many-principals","spend-limit-reached","totp-active","totp-inactive","totp-not-pending","wrong-code","bad-url","expiry-in-past","trial-allowance-spent","selection-changed","job-running","too-many-lines","too-many-free-changes","unknown-price","ambiguous-price","price-changed","plan-off-sale","plan-differs","period-differs","downgrade-at-extension","plan-immutable","plan-changing","too-many-plans","unknown-plan","effective-too-soon","too-many-versions","version-in-force","idempotency-key-reused","invalid-credentials","too-many-attempts"]),ir=`resellerd${me} form `,ks=e=>ir+se(e)+" ",xs=class{constructor(t,n){this.id=t,this.about=n;let o=JSON.parse(sessionStorage.getItem(t)||"{}");this.kept=o.sent?o:{key:rr(),fields:o.fields},this.restored=!o.sent&&!!o.fields,this.state=ie(this.kept.sent?"unknown":"editing"),this.problem=null,this.answer=null,this.shown=0}keep(){let{sent:t,fields:n}=this.kept,{secret:o=[]}=this.about,a=Object.fromEntries(Object.entries(n||{}).filter(([i])=>!o.includes(i)));try{return t?sessionStorage.setItem(this.id,JSON.stringify(this.kept)):Object.keys(a).length?sessionStorage.setItem(this.id,JSON.stringify({fields:a})):sessionStorage.removeItem(this.id),!0}catch{return!1}}type(t){this.kept.fields={...this.kept.fields,...t},this.keep()}restart(){this.kept={key:rr()},this.problem=null,this.restored=!1,this.keep(),bt(),this.state.set("editing")}drop(){sessionStorage.removeItem(this.id),we.delete(this.id),bt()}send(t,n){if(!["editing","refused"].includes(this.state.get())||!gn())return;let{method:o,path:a,title:i,payer:l,place:c}=this.about;if(this.kept.fields=n,this.kept.sent={method:o,path:a,body:t===void 0?void 0:JSON.stringify(Ki(t)),at:W(),title:i,payer:l,place:c},this.keep())return this.run(!1);delete this.kept.sent,this.problem=new Pe("no-room"),this.state.set("refused")}again(){this.state.get()==="unknown"&&!this.tooOld()&&gn()&&this.run(!0)}tooOld(){return W()-(this.kept.sent?.at??0)>Wi}async run(t){let{method:n,path:o,body:a}=this.kept.sent;this.problem=null,this.restored=!1,bt(),this.state.set("sending");try{this.answer=await K(n,o,{body:a,key:this.kept.key}),this.drop(),this.about.place&&we.set(this.id,this),gs(this.about.here),vs(),Ve(),this.state.set("done")}catch(i){this.problem=i instanceof Pe?i:new Pe("no-answer"),this.problem.unknown||t&&!Gi.has(this.problem.code)?this.state.set("unknown"):this.problem.code==="idempotency-key-reused"?(this.drop(),Ve(),this.state.set("over")):(delete this.kept.sent,this.keep(),bt(),this.problem.signedOut&&(this.problem=null),this.state.set(this.problem?"refused":"editing"))}}hide(){this.shown--,bt(),!this.shown&&!this.kept.sent&&ze.get().is==="in"&&we.delete(this.id)}},we=new Map,Ki=e=>({...e,...typeof e.username=="string"&&{username:ke(e.username)},...typeof e.whatsapp=="string"&&{whatsapp:Do(e.whatsapp)}}),rr=()=>"console-"+[...crypto.getRandomValues(new Uint8Array(16))].map(e=>e.toString(16).padStart(2,"0")).join("");function R({fields:e,...t}){let n=ks(h())+t.name,[o]=g(()=>{let c=we.get(n);return c?c.about=t:we.set(n,c=new xs(n,t)),c}),[a,i]=g(()=>({...e,...o.kept.fields})),l=o.state.use();return C(()=>(o.shown++,bt(),()=>o.hide()),[]),{state:l,fields:a,set:c=>{ar(l)||(o.type(c),i(m=>({...m,...c})))},frozen:ar(l),problem:o.problem,answer:o.answer,key:o.kept.key,send:c=>o.send(c,a),pays:!!t.payer,again:()=>o.again(),tooOld:o.tooOld(),discard:()=>o.restart(),restored:o.restored,restart:()=>{o.restart(),i(e)},cancel:()=>o.drop(),taken:()=>{we.get(n)===o&&we.delete(n)},said:()=>JSON.parse(o.kept.sent?.body||"{}")}}function D(e,t){C(()=>{e.state==="done"&&(e.taken(),t())},[e.state])}var ar=e=>e!=="editing"&&e!=="refused",Fn=ie([]);function lr(e){let t=we.get(e.id);return t||we.set(e.id,t=new xs(e.id,{...e,name:""})),t}var cr=e=>we.get(ks(h())+e)?.state.get()==="done"||!!JSON.parse(sessionStorage.getItem(ks(h())+e)||"{}").sent;function bt(){let e=ze.get(),t=[];for(let n=0;"who"in e&&n<sessionStorage.length;n++){let o=sessionStorage.key(n)||"";if(!o.startsWith(ks(e.who)))continue;let{sent:a}=JSON.parse(sessionStorage.getItem(o)||"{}");a&&!we.get(o)?.shown&&t.push({...a,id:o})}Fn.set(t.sort((n,o)=>n.at-o.at))}function mr(){let e=ze.get();e.is==="out"&&!e.ended&&Ji(),bt()}mr();ze.watch(mr);function Ji(){for(let e of Object.keys(sessionStorage))!e.startsWith(ir)||JSON.parse(sessionStorage.getItem(e)||"{}").sent||(sessionStorage.removeItem(e),we.delete(e));for(let[e,t]of we)t.state.get()==="done"&&we.delete(e)}async function dr(e,t){try{let n="";for(let o=0;n!==null&&o<5;o++){let{data:a,next_cursor:i}=await K("GET",`/users/${e}/ledger`,{query:{limit:n?500:50,cursor:n}}),l=a.find(c=>c.request_id===t);if(l)return l;n=i}}catch{}return null}function ye(e,t=!1){let{amount:n,wrong:o,perhaps:a}=Io(e);return o?{amount:n,perhaps:a,wrong:s(o,{amount:E(a||"1234.5")})}:{amount:n,wrong:n&&!t&&B(n)===0n?s("field.not-positive"):""}}var it=({form:e,typed:t,...n})=>r`
  <${q} form=${e} name="credits" wrong=${t.wrong} inputmode="decimal" maxlength="24" required ...${n} />
  ${t.perhaps&&!e.frozen&&r`<button type="button" class="button" translate=${!1} onClick=${()=>e.set({credits:E(t.perhaps||"")})}>${s("amount.perhaps",{amount:E(t.perhaps)})}</button>`}`;var Qi=8e3,P=(e,t)=>({done:{...t,text:e,who:se(h())}});function pr(){j.use();let e=Ae("done");return e?.who===se(h())?r`<${Vi} key=${e.key||e.text} of=${e} />`:null}function Vi({of:{text:e,tone:t="good",payer:n,key:o,undo:a}}){let i=Y(null),l=()=>re({done:null});return C(()=>{if(t!=="good")return;let c=Qi,m=Date.now(),d=setInterval(()=>{let p=Date.now(),u=i.current;document.hidden||u?.matches(":hover, :focus-within")||u?.querySelector("[data-form]:not([data-form=editing])")||(c-=p-m),m=p,c<=0&&l()},250);return()=>clearInterval(d)},[]),r`<div class="toast" ref=${i}><${ee} tone=${t}><p>${e}${n&&o&&w("ledger:read")&&r`<${Zi} payer=${n} form=${o} />`}</p>
    ${a&&r`<${Yi} of=${a} />`}
    <button type="button" class="button ghost only" aria-label=${s("close")} onClick=${l}><${f} name="x" /></button><//></div>`}function Yi({of:{body:e,said:t,...n}}){let o=R({...n,fields:{}}),{state:a,problem:i}=o;return D(o,()=>be(j.get().path+location.search,{replace:!0,state:P(t)})),r`<div data-form=${a}>${a==="unknown"?r`<${ge} form=${o} />`:r`<button type="button" class="button link" data-undo disabled=${o.frozen} onClick=${()=>o.send(e)}>${s(a==="sending"?"form.sending":"undo")}</button>`}
    ${a==="refused"&&i&&r`<${N} problem=${i} />`}</div>`}function Zi({payer:e,form:t}){let[n,o]=g(null);if(C(()=>{dr(e,t).then(o)},[]),!n)return null;let a=e===h().id?"/statement":"/resellers/"+e;return r` <${_} to=${a} data-movement=${n.seq}>${ae("done.movement",{amount:V(n.amount,ot),balance:V(n.balance)})}<//>`}function En(e){let{left:t,right:n,top:o,bottom:a}=e.currentTarget.getBoundingClientRect();return e.clientX<t||e.clientX>n||e.clientY<o||e.clientY>a}var ur=e=>e.querySelector("[data-form=sending]");function pe({title:e,about:t,look:n="side-panel",onClose:o,children:a}){let i=st(),l=Y(null),c=Y(!1),m=Y(!1),d=()=>{m.current||ur(l.current)||(m.current=!0,o())};return Ne(()=>{let u=l.current;return u.showModal(),(u.querySelector("input:checked, [autofocus]")||u.querySelector("h2"))?.focus(),()=>{m.current=!0,u.close()}},[]),r`<dialog class=${n} ref=${l} aria-labelledby=${i} onCancel=${u=>{u.preventDefault(),d()}} onClose=${()=>{m.current||(ur(l.current)?l.current.showModal():d())}}
    onKeyDown=${u=>u.stopPropagation()} onPointerDown=${u=>{c.current=En(u)}} onClick=${u=>{c.current&&u.target===l.current&&d()}}>
    <span class="grip"></span>
    <header class="side-head"><div><h2 id=${i} tabindex="-1">${e}</h2>${t&&r`<p class="quiet small">${t}</p>`}</div>
      <button type="button" class="button ghost only" aria-label=${s("close")} onClick=${d}><${f} name="x" /></button></header>
    ${a}
  </dialog>`}var Pt=["10","20","50"],Je=ie(null),$r=e=>`resellerd${me} ${e} for ${se(h())}`;function Ss({then:e}){let t=Je.use(),n=o=>{Je.set(null),o&&e(o)};return Ne(()=>()=>Je.set(null),[]),t&&r`<${Rn} key=${t.name+t.reseller.id} ...${t} onClose=${n} />`}function Rn({reseller:e,name:t,amount:n="",onClose:o}){let a=_e.use(),i=t==="topup",l=R({name:`${t} ${e.id}`,method:i?"PATCH":"POST",path:i?"/users/credits/"+e.id:`/users/${e.id}/credits/reclaim`,payer:e.id,title:s(`reseller.${t}-title`,{name:e.username}),fields:{credits:E(Be($r(t))||(i?Pt[0]:"")),notes:""}}),{fields:c,frozen:m}=l,d=ye(c.credits),p=m?l.said().credits:d.wrong?"":d.amount;C(()=>{n&&l.set({credits:E(n)})},[]),D(l,()=>{De($r(t),p),o(P(s(`reseller.${t}-done`,{name:e.username,amount:V(p)}),{payer:e.id,key:l.key}))});let u=()=>{c.notes||l.cancel(),o()},$=i?a:e,b=!!p&&!!$&&!$.is_admin&&B($.credits)<B(p),y=((v,k=i===(v===e))=>[r`<span class="name" translate=${!1}>${v.username}</span>`,ae("reseller.then",{now:E(v.credits),after:V($t(v.credits,k?"-"+p:p))})]);return r`<${pe} look="side-panel top-up" title=${ae(`reseller.${t}-title`,{name:e.username})} onClose=${u}>
    <${z} form=${l} submit=${p?s(`reseller.${t}-amount`,{amount:V(p)}):s("reseller."+t)} unclear=${!!d.wrong}
      onSubmit=${()=>l.send({credits:p,notes:c.notes.trim()||null})}>
      <fieldset class="choice few short" disabled=${m}><legend class="hush">${s("amount")}</legend>
        ${Pt.map(v=>r`<label key=${v}><input type="radio" name="amount" value=${v} checked=${p===v} onChange=${()=>l.set({credits:v})} />
          <span translate=${!1}>${i?"+":"−"}${v}</span></label>`)}</fieldset>
      <${it} form=${l} typed=${d} label=${s("amount.other")} />
      <div class="becomes" aria-live="polite">
        ${p?m?r`<p>${ae("amount.sent",{amount:V(p)})}</p>`:b?r`<${ee} tone="unsure"><p>${ae(i?"cost.short":"cost.short-of",{name:e.username,cost:V(p),now:E($?.credits||"")})}</p><//>`:r`<${X} of=${[y(e),...a&&!a.is_admin&&a.id!==e.id?[y(a)]:[]]} />`:null}
      </div>
      <${q} form=${l} name="notes" label=${s("notes")} kind="textarea" rows="1" maxlength="2000" />
    <//>
  <//>`}var Xi=`
AR 54 11 9(11|[23]) 0
BO 591 8 [67] 0
BR 55 11 [1-9][1-9]9 0
CL 56 9 9 0
CO 57 10 3 0
CR 506 8 [5-8] -
CU 53 8 [56] 0
DO 1 10 8[024]9[2-9] 1
EC 593 9 9 0
SV 503 8 [5-7] -
GT 502 8 [3-5] -
HT 509 8 [345] -
HN 504 8 [37-9] -
MX 52 10 [2-9] -
NI 505 8 [5-8] -
PA 507 8 6 -
PY 595 9 9 0
PE 51 9 9 0
PR 1 10 (787|939)[2-9] 1
UY 598 8 9 0
VE 58 10 4[12] 0
BZ 501 7 6 -
GY 592 7 6|7[0-6] -
SR 597 7 [678] -
GF 594 9 69|709 0
GP 590 9 69|709 0
MQ 596 9 69|709 0
JM 1 10 (876|658)[2-9] 1
TT 1 10 868[2-9] 1
US 1 10 [2-9]\\d\\d[2-9] 1
CA 1 10 [2-9]\\d\\d[2-9] 1
PT 351 9 9[1-36] -
ES 34 9 6|7[1-48] -
AD 376 6 [36] -
FR 33 9 [67] 0
DE 49 10,11 1[5-7] 0
IT 39 9,10 3 -
GB 44 10 7[1-57-9] 0
IE 353 9 8[35-9] 0
NL 31 9 6 0
BE 32 9 4[5-9] 0
LU 352 9 6 -
CH 41 9 7[5-9] 0
AT 43 10,12 6(5[0-3579]|6[013-9]|[7-9]) 0
DK 45 8 [2-9] -
SE 46 9 7[023689] 0
NO 47 8 [49] -
FI 358 9,10 4[0-8]|50 0
IS 354 7 [678] -
PL 48 9 45|5[0137]|6[069]|7[2389]|88 -
CZ 420 9 60|7[02379] -
SK 421 9 9[0145] 0
HU 36 9 [2357]0|31 06
RO 40 9 7 0
BG 359 9 8[7-9]|98 0
GR 30 10 69 -
HR 385 8,9 9 0
UA 380 9 39|50|6[36-8]|7[357]|9[1-9] 0
RU 7 10 9 8
KZ 7 10 7[0467] 8
TR 90 10 5 0
IL 972 9 5 0
AE 971 9 5 0
SA 966 9 5 0
MA 212 9 [67] 0
AO 244 9 9 -
MZ 258 9 8 -
CV 238 7 [59] -
GW 245 9 9[56] -
ST 239 7 9 -
TL 670 8 7 -
ZA 27 9 [678] 0
NG 234 10 [789] 0
IN 91 10 [6-9] 0
PH 63 10 9 0
JP 81 10 [789]0 0
CN 86 11 1 0
AU 61 9 4 0
NZ 64 8,10 2 0`,fr=Object.fromEntries(Xi.trim().split(`
`).map(e=>{let[t,n,o,a,i]=e.split(" ");return[t,{code:n,mobile:new RegExp(`^(?=\\d{${o}}$)(?:${a})`),trunk:i==="-"?"":i}]})),br=/^(1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})(\d*)$/,el={54:e=>{let[t,...n]=[/^9?(11)15(\d{8})$/,/^9?([23]\d\d)15(\d{7})$/,/^9?([23]\d{3})15(\d{6})$/].filter(o=>o.test(e)).map(o=>e.replace(o,"9$1$2"));return t&&!n.length?t:/^(11|[23])\d+$/.test(e)&&e.length===10?"9"+e:e},55:e=>e.replace(/^([1-9][1-9])([6-9]\d{7})$/,"$19$2"),52:e=>e.replace(/^(?:01|04[45]|1)(?=[2-9]\d{9}$)/,"")},gr=(e,t)=>el[e]?.(t)??t;function hr({code:e,mobile:t,trunk:n},o){return[o,...n&&o.startsWith(n)?[o.slice(n.length)]:[]].map(i=>gr(e,i)).find(i=>t.test(i))||""}function Te(e,t){let n=Ye(e||"").replace(/^(https?:\/\/)?wa\.me\/\+?/,"+");if(!/^(\+|00)?[\d\s().\-/]+$/.test(n))return"";let o=n.replace(/\D/g,"");if(/^(\+|00)/.test(n)){let[,l="",c=""]=br.exec(o.replace(/^00/,""))||[],m=Object.values(fr).some(p=>p.code===l&&p.trunk==="0"),d=l+gr(l,m?c.replace(/^0/,""):c);return/^[1-9]\d{7,14}$/.test(d)?d:""}let a=fr[t.toUpperCase()];if(!a)return"";let i=hr(a,o)||o.startsWith(a.code)&&hr(a,o.slice(a.code.length));return i?a.code+i:""}var tl={1:/^(\d{3})(\d{3})(\d{4})$/,33:/^(\d)(\d\d)(\d\d)(\d\d)(\d\d)$/,52:/^(\d\d)(\d{4})(\d{4})$/,54:/^(9)(11|\d{3})(\d{3,4})(\d{4})$/,55:/^(\d\d)(\d{4,5})(\d{4})$/,56:/^(\d)(\d{4})(\d{4})$/};function Dt(e){let[,t="",n=""]=br.exec(e)||[],o=tl[t]?.exec(n)?.slice(1)||(n.length===8?[n.slice(0,4),n.slice(4)]:n.match(/\d{3}(?=\d{3})|\d+$/g)||[]);return["+"+t,...o].join(" ")}var qe=(e,t)=>`https://wa.me/${e}?text=${encodeURIComponent(t)}`;var Pn=new Map,wr=()=>Pn.clear(),Xt=({is_admin:e,credits:t},n)=>e?"":ys(t,n,Pt[0]),Dn=e=>r`<${sl} key=${e.id} reseller=${e} />`;function sl({reseller:e}){let{id:t,username:n}=e,o=Q.manage(e,"credits:move"),a=w("users:write"),i=Te(e.whatsapp,e.country),l=E(e.credits),c=s("reseller.whatsapp",{name:n}),m=(d,p,u,$="")=>r`<${_} class=${$} to=${`/resellers/${t}?do=${d}`}><${f} name=${p} />${u}<//>`;return r`<tr data-id=${t}>
    <th scope="row" class="name"><span class="named"><${_} class="clip" to=${"/resellers/"+t} title=${n} translate=${!1} data-row>${n}<//>${!!(e.is_master||e.is_admin)&&r`<span class="badge">${s("role."+(e.is_admin?"admin":"master"))}</span>`}</span></th>
    <td class="num bal" translate=${!1}>${!e.is_admin&&r`<b>${l}</b><span class="unit">${V(e.credits).replace(l,"")}</span>`}</td>
    <td class="sit"><${An} reseller=${e} /></td>
    <td class="last clip quiet" title=${A(e.recharge)}>${!e.is_admin&&xe(e.recharge)}</td>
    <td class="tel clip">${e.whatsapp}</td>
    <td class="notes clip quiet" title=${e.notes}>${e.notes}</td>
    <td class="does"><span>
      ${o&&r`<button type="button" class="button row-act" aria-haspopup="dialog" aria-label=${s("reseller.topup-title",{name:n})} onClick=${()=>Je.set({reseller:e,name:"topup"})}>${s("reseller.topup")}</button>`}
      ${i?r`<a class="button ghost only" href=${qe(i,"")} target="_blank" rel="noopener noreferrer" aria-label=${c} title=${c}><${f} name="message-circle" /></a>`:r`<i></i>`}
      ${(o||a)&&r`<${he} label=${s("more-about",{name:n})}>
        ${a&&m("contact","pencil",s("reseller.contact"))}
        ${o&&r`<button type="button" onClick=${()=>Je.set({reseller:e,name:"reclaim"})}><${f} name="coins" />${s("reseller.reclaim")}</button>`}
        ${w("lines:read")&&r`<${_} to=${"/lines?owner="+t}><${f} name="tv" />${s("nav.lines")}<//>`}
        ${Q.manage(e,"users:write")&&r`<hr />${e.block_reseller?m("unblock","lock-open",s("reseller.unblock")):m("block","lock",s("reseller.block")+"…","bad")}`}<//>`}
    </span></td>
  </tr>`}function An({reseller:e,badge:t}){let n=e.active_tree?e.is_admin?"":B(e.credits)?Xt(e)&&"low":"empty":e.block_reseller?"blocked":"blocked-above";if(!n)return null;let o=s("reseller."+n),a=s(`reseller.${n}-brief`);return r`<${at} of=${n} tone=${n==="low"?"warn":"bad"} icon=${n==="low"?"trending-down":n==="empty"?"circle-alert":"lock"} badge=${t}>${t?o:r`<span class="long">${n==="blocked-above"?a:o}</span><span class="brief">${a}</span>`}<//>`}function yr({master:e}){let t=String(e),[n,o]=g(()=>Pn.get(t)||{rows:[],next:""}),[a,i]=g(null),[l,c]=g(!0),m=async(u,$)=>{c(!0),i(null);try{let b=Math.min(500,Math.max(50,n.rows.length-u.length)),{data:y,next_cursor:v}=await To("/users",{master:e,limit:b,cursor:$},1),k={rows:[...u,...y],next:v};Pn.set(t,k),o(k)}catch(b){i(b)}c(!1)};C(()=>{m([],"")},[e]);let{rows:d,next:p}=n;return r`<div class="branch" aria-busy=${l}>
    ${d.length>0&&r`<table class="table resellers few"><tbody>${d.map(Dn)}</tbody></table>`}
    ${a?r`<${N} problem=${a} retry=${()=>m(d,p||"")} />`:p===""&&l?r`<p class="quiet">${s("list.loading")}</p>`:p?r`<button type="button" class="button wide" disabled=${l} onClick=${()=>m(d,p)}>${s("tree.more")}</button>`:!d.length&&r`<p class="quiet">${s("tree.none")}</p>`}
  </div>`}var nl=9,ol=5e3,rl=200;function vr(e){let[t,n]=g({}),[o,a]=g(0),i=JSON.stringify(e);return C(()=>{let l=new AbortController;return al(e,l.signal,c=>n({what:i,from:c,entries:[]}),c=>n(m=>({...m,entries:[...c.reverse(),...m.entries].slice(0,rl)})),c=>n(m=>m.what===i&&m.from!==null?m:{what:i,from:null,entries:[],problem:c})),()=>l.abort()},[i,o]),{...t.what===i?t:{from:null,entries:[]},reload:()=>a(o+1)}}async function al(e,t,n,o,a){let i=null,l=0;for(;!t.aborted;){await gt(t);let{stop:c,done:m}=il(t);try{if(i===null){let{data:u,next_cursor:$}=await K("GET","/events",{query:{...e,order:"desc",limit:1},signal:c});l=u[0]?.seq||0,i=$||"",n(l)}let d=await K("GET","/events",{query:{...e,cursor:i,wait:nl},signal:c}),p=d.data.filter(u=>u.seq>l);if(i=d.next_cursor,!p.length)continue;l=p[p.length-1].seq,o(p)}catch(d){if(c.aborted)continue;d.status===410?i=null:(a(d),await lt(t,ol))}finally{m()}}}var gt=e=>new Promise(t=>{let n=()=>{document.hidden&&!e.aborted||(document.removeEventListener("visibilitychange",n),t())};document.addEventListener("visibilitychange",n),e.addEventListener("abort",n,{once:!0}),n()});function il(e){let t=new AbortController,n=()=>{(document.hidden||e.aborted)&&t.abort()};return document.addEventListener("visibilitychange",n),e.addEventListener("abort",n),n(),{stop:t.signal,done:()=>{document.removeEventListener("visibilitychange",n),e.removeEventListener("abort",n)}}}var lt=(e,t)=>new Promise(n=>{let o=setTimeout(n,t);e.addEventListener("abort",()=>{clearTimeout(o),n()},{once:!0})});var Se=ie(null),ll=1e3,{signal:kr}=new AbortController;async function At(e){let t=Se.get();if(t?.id===e.id&&t.status==="running")return;Se.set(e);let n=e;for(;n?.id===e.id&&n.status==="running";){if(await lt(kr,ll),await gt(kr),ze.get().is!=="in")return Se.set(null);try{let o=await K("GET",`/bulk/${e.id}`);Se.get()?.id===e.id&&Se.set(o)}catch(o){o.unknown||Se.set(null)}n=Se.get()}n?.id===e.id&&(gs(),Ve())}var wt=({action:e,matched:t})=>s("line."+(e==="details"?"describe":e))+": "+Fe(t),Fe=e=>s("many.lines",{n:e,count:F(e)}),Cs=({done:e,matched:t})=>s("job.of",{done:F(e),all:F(t)}),es=e=>e.dry_run?s("job.counted"):e.status==="running"?Cs(e):s("job."+e.status)+" "+Ze([s("job.succeeded",{n:e.succeeded,count:F(e.succeeded)}),...e.refused?[s("job.refused",{n:e.refused,count:F(e.refused)})]:[]])+".";function _s(e){let t="many.why."+e,n="problem."+e;return $e(t)?s(t):$e(n)?s(n):e}function xr(){let e=Se.use();return C(()=>{w("lines:read")&&K("GET","/bulk",{query:{limit:1}}).then(({data:t})=>{t[0]?.status==="running"&&At(t[0])},()=>{})},[]),e?.status!=="running"?null:r`<${_} class="job" to=${"/jobs/"+e.id}><${f} name="clock" /><span>${e.dry_run?s("many.counting"):`${wt(e)} – ${Cs(e)}`}</span><//>`}var yt=["access","reminder","expired","welcome"],Ln=["username","password","expires","days","server","apps"],Sr=new RegExp(`\\{(${Ln.join("|")})\\}`,"g");function Cr(e,t){let n=a=>t[a]!==void 0&&t[a]!==null&&t[a]!=="";return e.split(`
`).filter(a=>[...a.matchAll(Sr)].every(([,i])=>n(i))).map(a=>a.replace(Sr,(i,l)=>String(t[l]))).join(`
`).replace(/\n{3,}/g,`

`).trim()}var _r=e=>e.includes("{password}"),Or=864e5,Tr=(e,t)=>Math.max(0,Math.ceil((Date.parse(e)-t)/Or));function qr({expDate:e,isTrial:t},n){let o=Date.parse(e)-n;return o<=0?"expired":!t&&o<=7*Or?"reminder":"access"}var Ee=ie({of:"",ended:!0,value:null}),Fr=e=>Ee.set({of:se(h()),ended:!0,value:e});async function cl(e=!1){let t=se(h()),n=Ee.get();if(n.of===t&&!(e&&n.ended)||(Ee.set({of:t,ended:!w("lines:read"),value:null}),Ee.get().ended))return;let o=await K("GET",`/users/${h().id}/messages`).catch(()=>null);Ee.get().of===t&&!Ee.get().ended&&Ee.set({of:t,ended:!0,value:o})}function Qe(){let{of:e,ended:t,value:n}=Ee.use(),o=se(h());return C(()=>{cl(e===o&&t&&!n)},[o]),{messages:e===o?n:null,reading:e!==o||!t}}var et=(e,t)=>{let n=e;return t?.[n]||t?.inherited[n]||(e==="server"||e==="apps"?"":s("message.default."+e))},In=e=>et(e,Ee.get().of===se(h())?Ee.get().value:null),Os=(e,{username:t,password:n,expDate:o},a)=>Cr(e,{username:t,password:n,expires:A(o),days:Tr(o,W()),server:et("server",a),apps:et("apps",a)}),Lt=(e,t)=>Os(In(e),t,Ee.get().of===se(h())?Ee.get().value:null);var Mn=({expDate:e})=>Date.parse(e)>W()?"reminder":"expired";function Er({line:e}){Qe();let t=Mn(e),n=s("line.remind",{name:e.username}),o=r`<${f} name="message-circle" />`;return _r(In(t))?r`<${_} class="button ghost only" to=${"/lines/"+e.id} aria-label=${n} title=${n} data-remind>${o}<//>`:r`<a class="button ghost only" href=${qe(Te(e.whatsapp,e.country),Lt(t,e))} target="_blank" rel="noopener noreferrer"
      aria-label=${n} title=${n} data-remind>${o}</a>`}var Ts=500,Pr=()=>`resellerd${me} reminded ${se(h())}`,Dr=()=>new Date(W()).toDateString();function Rr(){let e=JSON.parse(Be(Pr())||"{}");return e.day===Dr()?e.ids:[]}function qs({ids:e,query:t={},onClose:n}){let o=He(e?null:"/lines",{...t,limit:Ts},Ts),[a]=g(Rr),[i,l]=g([]),c=e||(o.value?.data||[]).slice(0,Ts).map(({id:O})=>O),m=c.filter(O=>!a.includes(O)),d=(m.length?m:c).filter(O=>!i.includes(O)),[p]=d,u=c.length-d.length,$=c.length,b=M(p?`/lines/${p}`:null),y=!Qe().reading&&b.value?.id===p?b.value:null,v=()=>{if(De(Pr(),JSON.stringify({day:Dr(),ids:[...Rr(),p].slice(-4*Ts)})),d.length>1)return l([...i,p]);n(),re(P(s("queue.done")))},k=e||o.value?b.problem:o.problem;return r`<${pe} title=${$?s("queue.title",{n:$,count:F($)}):s("queue")} about=${$?s("queue.at",{at:F(u+1),all:F($)}):""} onClose=${n}>
    <svg class="left" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true"><rect class="all" width="100" height="4" /><rect class="run" width=${$?100*u/$:0} height="4" /></svg>
    ${k?r`<${N} problem=${k} retry=${e||o.value?b.reload:o.reload} />${p&&r`<button type="button" class="button link" onClick=${v}>${s("queue.skip")}</button>`}`:y?r`<${ml} key=${p} line=${y} last=${d.length===1} next=${v} />`:o.value&&!$?r`<p>${s("lines.none-such")}</p>`:r`<${Ft} />`}
  <//>`}function ml({line:e,last:t,next:n}){let o=st(),[a,i]=g(null),l=Y(null),c=Te(e.whatsapp,e.country),m=a??Lt(Mn(e),e);C(()=>l.current?.focus({preventScroll:!0}),[]);let d=p=>p.detail>1?p.preventDefault():setTimeout(n);return r`<div class="turn">
    <div><h3 id=${o} class="name" translate=${!1}>${e.username}</h3>
      <p class="quiet small">${ds(e.expDate)} · ${c?Dt(c):r`<span class="soon">${e.whatsapp?s("queue.unsure",{number:e.whatsapp}):s("queue.no-number")}</span>`}</p></div>
    ${a===null?r`<p class="bubble text" translate=${!1} data-message>${m}</p>`:r`<textarea class="input" rows="8" maxlength="2000" aria-label=${s("queue.edit")} value=${a} onInput=${p=>i(p.target.value)}></textarea>`}
    <a class="button primary tall wide" ref=${l} href=${qe(c,m)} target="_blank" rel="noopener noreferrer" aria-describedby=${o} data-next onClick=${d}><${f} name="message-circle" />${s(t?"queue.last":"queue.next")}</a>
    <div class="rowed"><button type="button" class="button link" data-skip onClick=${n}>${s("queue.skip")}</button>
      ${a===null&&r`<button type="button" class="button link" onClick=${()=>i(m)}>${s("queue.edit")}</button>`}</div>
  </div>`}var Fs=new Map,jn=new Map;function Le(e=h().id){let[t,n]=g(null),[,o]=g(0),a=()=>{let i=jn.get(e)||K("GET","/prices",{query:e===h().id?{}:{owner:e}}).then(({prices:l})=>{Fs.set(e,l)}).finally(()=>{jn.delete(e)});jn.set(e,i),i.then(()=>n(null),n).then(()=>o(l=>l+1))};return C(()=>{Fs.has(e)?o(i=>i+1):a()},[e]),{prices:Fs.get(e)||null,problem:t,reload:a}}var Ar=()=>Fs.clear();function Es(e){let[,t,n]=/^(\d+) (day|month)s?$/.exec(e)||[];return n?s("period."+n,{n:Number(t)}):e}var It=({name:e,period:t})=>e===t?Es(t):e,Nn=e=>e&&e>1?s("plan.connections-n",{n:e,count:F(e)}):"",Lr=(e,{isTrial:t,status:n,plan:o,connections:a,packages:i})=>e.filter(l=>t||!n||!o&&l.connections===1||l.connections===a&&String(l.packages)===String(i));function Rs(e,{plan:t,status:n}){let o=n&&e.find(a=>a.plan===t);return o?e.filter(a=>a.period===o.period&&B(a.credits)>B(o.credits)):[]}function Mt({form:e,prices:t,problem:n,reload:o,label:a=s("price.choose")}){return n&&!t?r`<${N} problem=${n} retry=${o} />`:r`<fieldset class="choice" disabled=${e.frozen}>
    <legend>${a}</legend>
    ${!t&&[1,2,3,4,5,6].map(i=>r`<span key=${i} class="place"></span>`)}
    ${t?.map(i=>r`<label key=${i.plan}>
      <input type="radio" name="credits" value=${i.credits} checked=${e.fields.plan===i.plan} onChange=${()=>e.set({plan:i.plan})} data-plan=${i.plan} />
      <span><strong>${It(i)}</strong> ${(i.name!==i.period||i.connections>1)&&r`<span class="quiet">${[i.name!==i.period&&Es(i.period),Nn(i.connections)].filter(Boolean).join(" · ")}</span> `}<${fe} of=${i.credits} /></span>
    </label>`)}
  </fieldset>`}var Ps=({form:e,required:t=!0})=>r`
  <${q} form=${e} name="username" label=${s("username")} maxlength="64" required />
  <${q} form=${e} name="password" label=${s("password")} minlength="4" maxlength="128" required=${t} />`,ct=({form:e,all:t=!0})=>r`
  <${q} form=${e} name="country" label=${s("country")} hint=${s("country.hint")} maxlength="64" required />
  <${q} form=${e} name="whatsapp" label=${s("whatsapp")} hint=${s("whatsapp.hint")} type="tel" inputmode="tel" maxlength="64" />
  ${t&&r`<${q} form=${e} name="telegram" label=${s("telegram")} maxlength="64" />
    <${q} form=${e} name="email" label=${s("email")} type="email" inputmode="email" maxlength="254" />`}
  <${q} form=${e} name="notes" label=${s("notes")} kind="textarea" rows="3" maxlength="2000" />`,jt=e=>({country:e.country,whatsapp:e.whatsapp.trim()||null,telegram:e.telegram.trim()||null,email:e.email.trim()||null,notes:e.notes.trim()||null});var ts=ie(0),Nt=ie({}),Bn=()=>`resellerd${me} renewed by plan for ${se(h())}`;function dl(e){let t=Number(Be(Bn()));return e.find(n=>n.plan===t)||e.find(n=>n.period==="1 month")||e[0]}function Bt(e={}){let{prices:t,problem:n,reload:o}=Le(e.owner),a=Y(void 0),i=t&&Lr(t,e);return i&&(a.current||=dl(i)),{prices:i,problem:n,reload:o,likely:a.current}}function zn(e){let t=_e.use(),n=M(e.owner===h().id||!w("users:read")?null:`/users/${e.owner}`);return e.owner===h().id?t:n.value}function Un({payer:e,form:t}){let n=t.fields.credits;if(!e||!n)return null;if(t.frozen)return r`<p>${ae("cost.sent",{cost:V(n)})}</p>`;if(e.is_admin)return r`<p class="quiet">${s("cost.issued")}</p>`;let o={name:e.username,cost:V(n),now:E(e.credits),after:E($t(e.credits,n))};return B(e.credits)<B(n)?r`<${ee} tone="unsure"><p>${ae(e.id===h().id?"cost.short":"cost.short-of",o)}</p><//>`:r`<p>${ae(e.id===h().id?"cost.own":"cost.other",o)}</p>`}var Hn=e=>C(()=>{e&&(document.querySelector("dialog[open] input:checked")||null)?.focus()},[!!e]);function Ir(e,{prices:t,likely:n,reload:o}){let a=R(e),i=a.fields.plan,{plan:l,credits:c}=a.frozen?a.said():t?.find(m=>m.plan===i)||t?.find(m=>m.plan===n?.plan)||{};return C(()=>{a.problem?.code==="price-changed"&&o()},[a.problem]),[{...a,fields:{...a.fields,plan:l,credits:c||""}},{plan:l,credits:c}]}function Wn({line:e,payer:t,then:n,onClose:o}){let a=Bt(e),[i,l]=Ir({name:"extend "+e.id,method:"PATCH",path:"/lines/extend/"+e.id,title:s("line.extend-title",{name:e.username}),payer:e.owner,here:!0,fields:{plan:0},secret:["plan"]},a),c=M(l.plan&&!i.frozen?`/lines/extend-preview/${e.id}`:null,l);D(i,()=>{De(Bn(),String(l.plan)),n(i.answer,i.key)}),Hn(a.likely);let m=c.value&&c.value.plan===l.plan?c.value:null,d=i.frozen?null:m,p=i.state==="editing"&&!m&&c.problem;return r`<${z} form=${i} submit=${l.credits?s("line.renew-for",{cost:V(l.credits)}):s("line.extend")} ready=${!!l.plan&&!p}
    onSubmit=${()=>i.send(l)} onClose=${o}>
    <${Mt} form=${i} ...${a} />
    <div class="becomes" aria-live="polite">
      ${p?r`<${N} problem=${p} retry=${c.reload} />`:r`<p data-preview=${d?!0:void 0}>${d?s("line.preview",{until:A(d.expDate)}):" "}</p><${Un} payer=${t} form=${i} />`}
    </div>
  <//>`}function Mr({line:e,payer:t,then:n,onClose:o}){let{prices:a,problem:i,reload:l}=Le(e.owner),c=a&&Rs(a,e),m=R({name:"change plan "+e.id,method:"PATCH",path:`/lines/${e.id}/plan`,title:s("line.change-plan-title",{name:e.username}),payer:e.owner,here:!0,fields:{plan:0},secret:["plan"]}),d=m.frozen?0:m.fields.plan||c?.[0]?.plan,p=M(d?`/lines/${e.id}/plan`:null,{plan:d},(v,k,O)=>K("PATCH",v,{query:{dry_run:!0},body:JSON.stringify(k),signal:O})),u=p.value?.plan===d?p.value:null,{plan:$,expected_credits:b}=m.frozen?m.said():{plan:d,expected_credits:u?.credits};D(m,()=>n(m.answer,m.key)),C(()=>{m.problem?.code==="price-changed"&&(l(),p.reload())},[m.problem]),Hn(c);let y={...m,fields:{plan:$,credits:b||""}};return r`<${z} form=${m} submit=${b?s("line.change-plan-for",{cost:V(b)}):s("line.change-plan")} ready=${!!b}
    onSubmit=${()=>m.send({plan:$,expected_credits:b})} onClose=${o}>
    <${Mt} form=${y} prices=${c} problem=${i} reload=${l} label=${s("plan")} />
    <p class="quiet">${s("line.change-plan-meaning",{until:A(e.expDate)})}</p>
    <div class="becomes brief" aria-live="polite">${m.state==="editing"&&p.problem?r`<${N} problem=${p.problem} retry=${p.reload} />`:r`<${Un} payer=${t} form=${y} />`}</div>
  <//>`}function Gn({line:e,payer:t,then:n,onClose:o}){let a=Bt(e),[i,l]=Ir({name:"activate "+e.id,method:"PATCH",path:"/lines/active/"+e.id,title:s("line.activate-title",{name:e.username}),payer:e.owner,here:!0,fields:{username:e.username,password:e.password||"",plan:0,whatsapp:e.whatsapp||"",country:e.country,notes:e.notes||""}},a),{fields:c}=i;return D(i,()=>{De(Bn(),String(l.plan)),n(i.answer,i.key)}),Hn(a.likely),r`<${z} form=${i} submit=${l.credits?s("line.activate-for",{cost:V(l.credits)}):s("line.activate")} ready=${!!l.plan} onClose=${o}
    onSubmit=${()=>i.send({...c,whatsapp:c.whatsapp.trim()||null,notes:c.notes.trim()||null})}>
    <${Mt} form=${i} ...${a} />
    <div class="becomes brief" aria-live="polite"><${Un} payer=${t} form=${i} /></div>
    <${hs} title=${s("line.data")} form=${i} open=${e.password===null} names=${["username","password","country","whatsapp","notes"]}><${Ps} form=${i} /><${ct} form=${i} all=${!1} /><//>
  <//>`}function pl({line:e,...t}){let n=M(`/lines/${e.id}`);return r`<${G} of=${n}>${o=>r`<${Gn} ...${t} line=${o} />`}<//>`}var Ds=({line:e,title:t=e.isTrial?"line.activate-title":"line.extend-title",onClose:n,children:o})=>r`<${pe} look="side-panel renew" onClose=${n}
  title=${ae(t,{name:e.username})}
  about=${r`<${Et} line=${e} /> ${nt(e.expDate)?xe(e.expDate)+", ":""}${Tt(e.expDate)}`}>${o}<//>`;function jr({line:e,then:t}){let n=zn(e),o=()=>{ts.get()===e.id&&ts.set(0)},a=(i="")=>{o(),t(i)};return Ne(()=>o,[]),r`<${Ds} line=${e} onClose=${()=>a()}>
    <${e.isTrial?pl:Wn} line=${e} payer=${n} onClose=${()=>a()} then=${i=>{Nt.set({...Nt.get(),[e.id]:i}),a(i.expDate)}} />
  <//>`}var Jn=500,vt={extend:"lines:spend",suspend:"lines:write",resume:"lines:write",delete:"lines:delete"},Qn=()=>Object.keys(vt).filter(e=>w(vt[e])),tt=ie(null);function ns(e){let t=tt.use();return t?.filter===e?t:null}var Nr=(e,t)=>tt.set(t.length?{filter:e,ids:t}:null);function Br(e="",t){let n=ns(e),o=!!n&&!n.ids;return[o||!!n?.ids?.includes(t),o,()=>{let a=tt.get(),i=a?.filter===e&&a.ids||[];Nr(e,i.includes(t)?i.filter(l=>l!==t):[...i,t])}]}var ul=(e,t)=>`${me}/exports/${e}?`+new URLSearchParams({...Lo(),...t}),kt=({of:e,query:t,label:n=s("export"),look:o="button ghost"})=>r`<a class=${o} href=${ul(e,ss(t))} download=""><${f} name="download" />${n}</a>`,As=({query:e,look:t})=>r`<${kt} of="lines" query=${{...e,passwords:!1}} look=${t} />
  ${w("lines:passwords")&&r`<${kt} of="lines" query=${e} label=${s("export.passwords")} look=${t} />`}`,ss=e=>Object.fromEntries(Object.entries(e).filter(([,t])=>t!=null&&t!==""));function zr({filter:e}){let t=ns(e),n=()=>Nr(e,t?[]:[...document.querySelectorAll(".screen [data-id]")].map(o=>Number(o.getAttribute("data-id"))).slice(0,Jn));return r`<label class="hit"><input type="checkbox" class=${t?.ids?"is-some":""} checked=${!!t&&!t.ids} onChange=${n} aria-label=${s("select.shown")} data-shown /></label>`}function Ur({filter:e,query:t,listed:n,leave:o}){let a=ns(e),[i,l]=g(!1),c=a?a.ids:[],m=!!c&&c.length>Jn,d=c?{ids:c}:{filter:ss(t)},[p,...u]=Qn(),$={extend:"calendar-plus",suspend:"circle-pause",resume:"play",delete:"trash-2"},b=(v,k="")=>r`<button key=${v} type="button" class=${k} disabled=${!a||m} data-action=${v} onClick=${()=>Z(v,{picked:d})}>
    <${f} name=${$[v]} />${v==="extend"&&c?.length?s("home.renew",{n:c.length,count:F(c.length)}):s("line."+v)}${v==="delete"?"…":""}</button>`,y=r`<button type="button" class="button link" data-all aria-pressed=${!c} onClick=${()=>tt.set(c?{filter:e,ids:null}:null)}>${s("select.found")}</button>`;return r`<div class="pick-bar" role="region" aria-label=${s("select")}>
    <p role="status"><b>${m?s("select.most",{n:F(Jn)}):$l(c)}</b></p>${y}
    ${p&&b(p,"button primary")}
    <button type="button" class="button" disabled=${!a||m} data-queue onClick=${()=>l(!0)}><${f} name="message-circle" />${s("queue")}</button>
    ${u.map(v=>v!=="delete"&&b(v,"button wide-only"))}
    <${he} label=${s("select.more")}>${u.map(v=>r`${v==="delete"&&r`<hr />`}${b(v,v==="delete"?"bad":"")}`)}
      ${!c&&r`<${As} query=${n} look="" />`}<//>
    <button type="button" class="button ghost only end" aria-label=${s("select.none")} title=${s("select.none")} onClick=${o}><${f} name="x" /></button>
    ${i&&r`<${qs} ids=${c||void 0} query=${ss(n)} onClose=${()=>l(!1)} />`}
  </div>`}var $l=e=>e?s("select.count",{n:e.length,count:F(e.length)}):s("select.all"),Kn=5;async function fl(e,t,n){Ve();let o=null;for(let a=1;!o;a++)try{o=await K("POST",e,{body:JSON.stringify({...t,dry_run:!0}),signal:n})}catch(i){if(a===5||!/^(count|job)-running$/.test(i.code))throw i;await lt(n,1e3)}if(!o.status)return{...o,of:t.params.plan};At(o);try{for(;o.status==="running";)await lt(n,1e3),await gt(n),o=await K("GET",`/bulk/${o.id}`,{signal:n})}catch(a){throw n.aborted&&K("DELETE",`/bulk/${o.id}`).catch(()=>{}),a}if(!o.outcome)throw new Pe("not-found");return{...o.outcome,of:t.params.plan}}function Ls({action:e,picked:t,said:n,up:o="/lines"}){let a=s("line."+e)+": "+(t.ids?Fe(t.ids.length):s("many.found")),i=R({name:"bulk "+e,method:"POST",path:"/bulk",title:a,fields:{plan:0,reason:"",typed:""},secret:["typed"]}),l=Bt(),c={...i,fields:{...i.fields,plan:e!=="extend"?0:i.frozen?i.said().params?.plan:i.fields.plan||l.likely?.plan}},{fields:m,frozen:d,answer:p}=c,u={action:e,select:t,params:m.plan?{plan:m.plan}:{}},$=!d&&(e!=="extend"||!!m.plan),b=M($?"/bulk":null,u,fl),y=b.value,v=y&&y.of===u.params.plan?y:null,k=v?.would_succeed||0,O=v?V(v.total):"";D(c,()=>{tt.set(null),At(p),be("/jobs/"+p.id,{replace:!0})});let L=()=>c.send({...u,params:e==="suspend"&&m.reason.trim()?{reason:m.reason}:u.params,expect:{count:k,total:v?.total}}),T=e!=="delete"||Ye(m.typed).replace(/\D/g,"")===String(k);return r`<${U} title=${a} up=${o}><section class="panel">
    <${z} form=${c} danger=${e==="delete"||e==="suspend"} ready=${k>0&&T&&!b.loading}
      submit=${k?s("many.do."+e,{n:k,count:F(k),cost:O}):s("line."+e)} onSubmit=${L} onClose=${()=>x()}>
      ${t.filter&&r`<p>${n.length?s("many.filtered",{by:n.join(" · ")}):s("many.unfiltered")}</p>`}
      ${e==="extend"&&r`<${Mt} form=${c} ...${l} />`}
      <div aria-live="polite" aria-busy=${$&&b.loading}>
        ${d?e==="extend"&&v&&r`<p>${ae("cost.sent",{cost:O})}</p>`:v?r`<${hl} outcome=${v} paid=${e==="extend"} />`:$&&!b.problem&&r`<p class="quiet" role="status">${s("many.counting")}</p>`}
      </div>
      ${b.problem&&$&&c.state!=="refused"&&r`<${N} problem=${b.problem} retry=${b.reload} />`}
      ${e==="suspend"&&r`<p>${s("many.suspend-means")}</p><${q} form=${c} name="reason" label=${s("reason")} hint=${s("many.reason-hint")} kind="textarea" rows="2" maxlength="500" />`}
      ${e==="delete"&&r`<p>${s("many.delete-means")}</p>${k>0&&r`<${q} form=${c} name="typed" label=${s("many.delete-type",{n:F(k)})} inputmode="numeric" required />`}`}
    <//>
  </section><//>`}function hl({outcome:{matched:e,would_succeed:t,refused:n,total:o,balances_after:a},paid:i}){let l=_e.use(),c=h().is_admin?void 0:a[h().id],m=Object.entries(a).filter(([p])=>p!==String(h().id)),d=V(o);return r`<p data-outcome><strong>${ae("many.matched",{n:e,count:F(e)})}</strong></p>
    ${i&&t>0&&r`<p>${h().is_admin&&!m.length?s("cost.issued"):l&&c!==void 0&&!m.length?ae("cost.own",{cost:d,now:E(l.credits),after:E(c)}):ae("cost.sent",{cost:d})}</p>`}
    ${m.length>0&&r`<div class="members"><${X} of=${[...c===void 0?[]:[[String(h().id),c]],...m.slice(0,Kn)].map(([p,u])=>[r`<${bl} id=${Number(p)} />`,ae("many.left",{amount:E(u)})])} /></div>${m.length>Kn&&r`<p class="quiet">${s("job.more",{n:m.length-Kn})}</p>`}`}
    <${gl} of=${n} all=${e>0&&!t} />`}var bl=({id:e})=>r`<span class="name" translate=${!1}>${Oe(e)||s("reseller.by-id",{id:e})}</span>`;function gl({of:e,all:t}){let n=Object.entries(e),o=n.reduce((a,[,i])=>a+i,0);return o?r`<div class="note warn" data-refused=${o}><${f} name="triangle-alert" /><div><p>${t?s("many.none"):s("many.refused",{n:o,count:F(o)})}</p>
    <${X} of=${n.map(([a,i])=>[Fe(i),_s(a)])} /></div></div>`:null}var Hr={external_id:"line.external-id",metadata:"line.metadata",balance_low:"alert",messages:"nav.messages",url:"webhook.url",types:"webhook.types",scope:"filter.whose",description:"webhook.description",enabled:"webhook.enabled",name:"key.name",role:"rights",scopes:"rights",spend_limit:"limit",suspension_reason:"reason",block_reason:"reason",expires_at:"key.expires",allowed_addresses:"key.addresses"};function Wr({actor:e}){return e.kind==="operator"?s("event.by-operator"):e.kind==="system"?s("event.by-system"):e.kind==="key"&&e.name?s("event.by-key",{name:e.name}):e.account===h().id&&(e.kind==="staff"?e.id:void 0)===h().staff?.id?s("event.by-me"):e.name?s("event.by",{name:e.name}):s("event.by-above")}function Gr({changes:e,line:t,data:n,reason:o}){let a=[],{expDate:i,username:l,lines_suspended:c,suspended:m,blocked:d}=e,p=m||d;if(l?.[0]&&l[1]&&a.push(s("event.renamed",{from:l[0],to:l[1]})),t&&i?.[1]&&a.push(s("event.until",{until:A(i[1])})),c&&a.push(`${s("nav.lines")}: ${s(c[1]?"block.suspend":"block.run")}`),n.expDate&&a.push(s(n.days?"event.within":"event.until",{n:n.days,until:A(n.expDate)})),n.job&&a.push(wt(n),es(n)),n.balance_low&&a.push(s("event.balance",{balance:E(String(n.balance)),below:E(String(n.balance_low))})),$e("webhook.why."+o))return[...a,s("webhook.why."+o)];let u=new Set(Object.keys(e).filter($=>e[$]===!0&&(!p||Hr[$]!=="reason")).map($=>s(Hr[$]||$)));return u.size&&a.push(s("event.changed",{fields:Ze([...u])})),a}function Kr({movement:e,account:t}){if(!e)return null;let n=e.to===String(t);return r`<span class="amount ${n?"in":"out"}" translate=${!1}>${ot((n?"":"-")+e.amount)}</span>`}function wl({event:e,rest:t={}}){let n=!!e.account&&e.account!==h().id,o=e.line&&e.account&&n&&e.account!==e.actor.account?e.account:0,a=Oe(o||h().id),{username:i,webhook:l,principal:c}=e.data,m=Number(l||c),d=m?l?"/webhooks":e.type.startsWith("key")?"/keys":"/staff":"",p=or(n?"":d,m),u=i||p||(m?"#"+m:""),$="event."+e.type,b=r`<span class="what"><span class="name">${$e($)?s($):e.type}</span>${u&&r` <span class="name clip" translate=${!1}>${u}</span>`}</span>
    ${Kr(e)}
    <span class="by quiet">${Wr(e)}${e.actor.address&&r` · ${e.actor.address}`}${!!o&&r`<span class="clip">${a?s("line.owner-name",{name:a}):s("line.owner-id",{id:o})}</span>`}</span>
    ${Gr(e).map(v=>r`<span key=${v} class="by">${v}</span>`)}
    <time class="quiet" datetime=${e.timestamp}>${A(e.timestamp)}</time>`,y=e.line&&w("lines:read")?(e.type==="line.deleted"?"/activity?line=":"/lines/")+e.line:e.data.job?n||!w("lines:read")?"":"/jobs/"+e.data.job:m&&!n?!w("manage")||/removed|revoked/.test(e.type)?"":`${d}/${m}`:n&&Q.seeResellers()?"/resellers/"+e.account:"";return y?r`<${_} class="row event" to=${y} ...${t}>${b}<//>`:r`<div class="row event">${b}</div>`}var os=e=>r`<${wl} event=${e} rest=${{"data-row":!0}} />`,yl={"line.trial_created":"plus","line.activated":"zap","line.extended":"calendar-plus","line.suspended":"circle-pause","line.resumed":"play","line.expiring":"clock-alert","line.expired":"circle-x","reseller.credited":"coins","reseller.reclaimed":"coins","reseller.blocked":"lock","reseller.unblocked":"lock-open","line.updated":"pencil","reseller.updated":"pencil","reseller.created":"plus"};function vl({event:e}){let t="event."+e.type;return r`<li><span class="dot"><${f} name=${yl[e.type]||"activity"} /></span>
    <span class="name">${$e(t)?s(t):e.type}</span><span class="num">${Kr(e)}</span>
    <small><time datetime=${e.timestamp}>${A(e.timestamp)}</time>${[Wr(e),...Gr(e)].map(n=>r`<span key=${n}> · ${n}</span>`)}</small></li>`}var Is=e=>He(w("events:read")?"/events":null,{...e,order:"desc",limit:6},6);function Ms({of:e,latest:t}){return w("events:read")?r`<section class="panel"><h2>${s("history")}</h2>
    <${G} of=${t}>${({data:n,next_cursor:o})=>r`
      ${n.length?r`<ol class="time">${n.slice(0,5).map(a=>r`<${vl} key=${a.id} event=${a} />`)}</ol>`:r`<p class="quiet">${s("activity.none-such")}</p>`}
      ${(o||n.length>5)&&r`<p><${_} to=${"/activity?"+new URLSearchParams(e)}>${s("home.all")}<//></p>`}`}<//>
  </section>`:null}var Jr={lines:["line.*"],jobs:["bulk.*"],credits:["reseller.credited","reseller.reclaimed","line.activated","line.extended","balance.*"],accounts:["reseller.*","operator.*"],access:["session.*","token.*","password.*","totp.*"],keys:["key.*","staff.*"],webhooks:["webhook.*"]},Qr=["what","mine","line","account"];function Vr(){let{query:e}=j.use(),t=e.get("what")||"",n={type:Jr[t],account:e.get("mine")?h().id:e.get("account"),line:e.get("line")},{from:o,entries:a,problem:i,reload:l}=vr(n),c=Qr.some(d=>e.get(d)),m=(d,p,u)=>r`
    <select aria-label=${p} value=${e.get(d)||""} onChange=${$=>de({[d]:$.target.value})}>
      ${u.map(([$,b])=>r`<option key=${$} value=${$}>${b}</option>`)}
    </select>`;return r`<${U} title=${s("nav.activity")}>
    <div class="filters">
      ${m("what",s("activity.what"),[["",s("activity.all")],...Object.keys(Jr).map(d=>[d,s("activity."+d)])])}
      ${Q.haveBelow()&&m("mine",s("filter.whose"),[["",s("filter.everyone")],["1",s("filter.mine")]])}
      ${c&&r`<button type="button" class="button" onClick=${()=>de(Object.fromEntries(Qr.map(d=>[d,""])))}>
        <${f} name="x" />${s("filter.clear")}</button>`}
    </div>
    <div aria-live="polite">
      ${a.length>0&&r`<ul class="rows" aria-label=${s("activity.new")}>${a.map(d=>r`<li key=${d.id}>${os(d)}</li>`)}</ul>`}
    </div>
    ${o===null&&i&&r`<${N} problem=${i} retry=${l} />`}
    ${o!==null&&r`<${Ke} path="/events" query=${{...n,order:"desc"}} row=${d=>d.seq>o?null:os(d)}
      label=${s("nav.activity")} lasting empty=${s(c?"activity.none-such":"activity.none")} />`}
  <//>`}var rs=e=>M(e===null||!w("users:read")?null:`/users/${e}/alerts`);function js({account:{id:e,username:t},alerts:n,changed:o}){let a=s("alert.title",{name:t}),i=R({name:"alert "+e,method:"PUT",path:`/users/${e}/alerts`,title:a,fields:{credits:n.balance_low?E(n.balance_low):""}}),l=ye(i.fields.credits);return D(i,()=>{let c=i.answer.balance_low;o?.(i.answer),x(P(c?s("alert.set",{name:t,amount:V(c)}):s("alert.unset",{name:t})))}),r`<section class="panel"><h2>${a}</h2>
    <${z} form=${i} submit=${s("save")} unclear=${!!l.wrong} onSubmit=${()=>i.send({balance_low:l.amount||null})} onClose=${()=>x()}>
      <p>${s("alert.meaning")}</p>
      <${it} form=${i} typed=${l} label=${s("alert.field")} hint=${s("alert.hint")} required=${!1} />
    <//>
  </section>`}var Ns=e=>/^(?:@|(?:https?:\/\/)?(?:t\.me|telegram\.me)\/)?([a-z]\w{3,31})\/?$/i.exec((e||"").trim())?.[1]||"",Bs=(e,t)=>(e?`https://t.me/${e}?text=`:"https://t.me/share/url?url=")+encodeURIComponent(t);function Yr({whatsapp:e,telegram:t},n){let o=Te(e||null,""),a=o?"":Ns(t||null);return a?Bs(a,n):qe(o,n)}function Vn({title:e,day:t,points:n,today:o,bars:a=!1,choice:i,sum:l}){let[c,m]=g(-1),[d,p]=g(!1),u=st(),$=n||[],b=Math.max(1,$.length),y=$.length-1,v=c>=0&&c<=y,k=v?c:y,O=k<0?"":s("chart.value",{time:$[k].name,amount:(a?V:E)(Xe($[k].value))}),L=v&&O,T=Zo($.reduce((J,{value:oe})=>oe>J?oe:J,0n)),H=T[2],ne=!a&&$.length?Xo($.map(J=>J.value),H):"",ce=J=>{let{left:oe,width:Me}=J.currentTarget.getBoundingClientRect();m(er(J.clientX-oe,Me,$.length))},Ie=J=>{J.pointerType==="mouse"&&m(-1)},ue=J=>{let oe=tr(J.key,k,$.length);oe!==void 0&&(J.preventDefault(),m(oe))},ve=r`<button type="button" class="button link" onClick=${()=>p(!d)}><${f} name="table-2" />${s(d?"chart.no-table":"chart.table")}</button>`;return r`<figure class=${`panel plot ${a?"bars":"flat"} ${v?"is-chosen":""}`}>
    <header><h2 id=${u}>${e}</h2>${i||r`${L&&r`<span class="quiet">${L}</span>`}${ve}`}</header>
    ${i&&r`<p class="sum">${L||l||" "}</p>`}
    <div class="scale" aria-hidden="true">${n&&[...T].reverse().map(J=>r`<span key=${J}>${E(Xe(J))}</span>`)}</div>
    <div class="area" ...${y>=0?{role:"slider",tabIndex:0,"aria-labelledby":u,"aria-valuemin":1,"aria-valuemax":$.length,"aria-valuenow":k+1,"aria-valuetext":O,onPointerMove:ce,onPointerDown:ce,onPointerLeave:Ie,onKeyDown:ue,onFocus:()=>m(J=>J<0?y:J)}:{}}>
      <svg class="chart" viewBox="0 0 ${b} 100" preserveAspectRatio="none" aria-hidden="true">
        <path class="grid" d=${T.slice(1).map(J=>`M0 ${100-Yt(J,H)}H${b}`).join("")} />
        ${a&&$.map(({key:J,value:oe},Me)=>oe>0n&&r`<rect key=${J} class="bar" x=${Me+.16} width="0.68" y=${100-Yt(oe,H)} height=${Yt(oe,H)} />`)}
        ${ne&&r`<path class="under" d=${ne+"V100H0Z"} /><path class="run" d=${ne} />`}
        ${v&&r`<path class="chosen" d="M${k+.5} 0V100" />`}
        <path class="axis" d="M0 100H${b}" />
      </svg>
    </div>
    <div class="ends" aria-hidden="true">${y<0?" ":[...new Set([0,y>>1,y])].map(J=>r`<span key=${J}>${o&&J===y?s("chart.today"):$[J].name}</span>`)}</div>
    ${i&&ve}
    ${d&&r`<table class="table dense" aria-labelledby=${u}><thead><tr><th scope="col">${t}</th><th scope="col" class="num">${s("amount")}</th></tr></thead>
      <tbody>${$.map(J=>r`<tr key=${J.key}><th scope="row">${J.name}</th><td class="num">${E(Xe(J.value))}</td></tr>`)}</tbody></table>`}
  </figure>`}var Zr=({days:e})=>r`<${Vn} title=${s("chart.balance")} day=${s("chart.day")} today=${!!e?.length&&!nt(e[e.length-1].day)}
  points=${e&&e.map(({day:t,balance:n})=>({key:+t,name:xe(t),value:B(n)}))} />`;var Xr=[7,30,90];function ea(){let[e,t]=g(30),n=M(w("lines:read")?"/reports/summary":null,{days:2*Math.max(e,30),tree:Q.haveBelow()?h().id:void 0}),o=Y(n.value);return o.current=n.value||o.current,{...n,value:o.current,span:e,choose:t}}var kl=["extensions","activations","trials"],xl=[["running","/lines?status=running&show=official"],["trials","/lines?status=running&show=trials"],["expiring_7d","/lines?when=soon&show=official"],["expired_14d","/lines?when=past&show=official"]];function ta({of:{value:e,problem:t,reload:n}}){let o=e?.lines,a=e&&ws(e.days.slice(-1)),i=e&&ws(nr(e.days)),l=(c,m,d)=>r`<div class="tile" data-figure=${c}>
    <dt>${s("figures."+c)}</dt><dd class="figure" translate=${!1}>${m??" "}</dd><dd class="quiet">${d===null?" ":s("figures.this-month",{amount:d})}</dd></div>`;return r`<section class="panel numbers"><h2>${s("figures")}</h2>
    ${t&&r`<${N} problem=${t} retry=${n} />`}
    <dl class="tiles">
      ${kl.map(c=>l(c,a&&F(a[c]),i&&F(i[c])))}
      ${l("spent",a&&E(a.spent),i&&E(i.spent))}
    </dl>
    <ul class="tiles">${xl.map(([c,m])=>r`<li key=${c}><${_} class="tile" to=${m} data-count=${c}>
      <span class="figure">${o?F(o[c])+(o.capped?"+":""):" "}</span><span>${s(c==="trials"?"figures.running-trials":"figures."+c)}</span><//></li>`)}</ul>
  </section>`}function sa({of:{value:e,span:t,choose:n}}){let o=e&&e.days.length>=2*t?e.days.slice(-2*t):null,a=o&&o.slice(t),[i,l]=[a,o&&o.slice(0,t)].map(m=>m&&ws(m).spent),c=r`<div class="seg small" role="group" aria-label=${s("statement.period")}>
    ${Xr.map(m=>r`<button key=${m} type="button" aria-pressed=${m===t} onClick=${()=>n(m)}>${m===Xr[2]?s("figures.days",{days:m}):m}</button>`)}</div>`;return r`<${Vn} bars title=${s("figures.spent")} day=${s("figures.day")} today choice=${c}
    points=${a&&a.map(m=>({key:m.day,name:xe(m.day,"UTC"),value:B(m.spent)}))}
    sum=${i&&l&&(i==="0"?s("figures.spent-none"):r`<span><b translate=${!1}>${E(i)}</b> <span class="quiet">${s("figures.in-days",{days:t})}</span></span><${Sl} of=${sr(i,l)} />`)} />`}var Sl=({of:e})=>e!==void 0&&r`<span class="quiet">${!!e&&r`<${f} name=${e<0?"trending-down":"trending-up"} />`}${s("figures."+(e?e<0?"less":"more":"same"),{percent:us(Math.abs(e))})}</span>`;var na=e=>e.split("").map(t=>t.normalize("NFD")[0].toLowerCase()).join("");function mt(e,t){if(!e||!t)return null;let n=na(e).indexOf(na(t));if(n>=0)return[n,n+t.length];let o=t.replace(/[\s+\-().]/g,""),a=/^\d{4,}$/.test(o)&&new RegExp(o.split("").join("[\\s+\\-().]*")).exec(e);return a?[a.index,a.index+a[0].length]:null}function dt({text:e,by:t}){let n=mt(e,t);return e&&n?r`${e.slice(0,n[0])}<mark>${e.slice(...n)}</mark>${e.slice(n[1])}`:e}var zs=(e,t)=>r`<${Cl} key=${e.id} line=${e} filter=${t} />`;function Cl({line:e,filter:t}){let n=Nt.use()[e.id],o=ts.use()===e.id,a=n&&n.updatedAt>e.updatedAt?{...e,...n}:e,[i,l]=g(""),[c,m,d]=Br(t,e.id),{id:p,username:u,expDate:$,isTrial:b,effective:y,status:v}=a,k=!!v&&y!=="suspended"&&y!=="owner_blocked",O=k&&!b&&nt($)<=2,L=t&&j.get().query.get("q")||"",T=mt(u,L)?null:[a.whatsapp,a.notes].find(ne=>mt(ne,L)),H=_l(()=>{t&&!c&&d()});return r`<tr class=${[c&&"is-picked",k&&!b&&"is-active",(!v||b)&&"is-brief"].filter(Boolean).join(" ")} data-id=${p} ...${t?H:{}}>
    ${t&&r`<td class="pick"><label class="hit"><input type="checkbox" checked=${c} disabled=${m} onChange=${d} aria-label=${s("select.line",{name:u})} /></label></td>`}
    <th scope="row" class="name clip"><${_} to=${"/lines/"+p} title=${u} translate=${!1} data-row><${dt} text=${u} by=${L} /><//></th>
    <td class="st"><${Et} line=${a} /></td>
    <td class="expiry clip">${!i&&r`<span title=${A($)}>${xe($)}</span> <span class=${O?"rel soon":"rel"}>${Tt($)}</span>`}<span class="told" role="status">${i&&r`<${f} name="check" />${i}`}</span>${T&&r`<span class="hit-in"><${dt} text=${T} by=${L} /></span>`}</td>
    <td class="phone clip"><${dt} text=${a.whatsapp} by=${L} /></td>
    <td class="notes clip quiet">${a.owner!==h().id&&r`<${Ol} id=${a.owner} />`}${a.notes&&r`<span class="note-text"><${dt} text=${a.notes} by=${L} /></span>`}</td>
    <td class="does"><span>
      ${w("lines:spend")&&r`<button type="button" class="button row-act" data-renew aria-haspopup="dialog" aria-label=${s(b?"line.activate-title":"line.extend-title",{name:u})}
        onClick=${()=>{l(""),ts.set(p)}}>${s(b?"line.activate":"line.extend")}</button>`}
      <${Er} line=${a} />
      ${w("lines:write")&&r`<${he} label=${s("more-about",{name:u})}>
        <${_} to=${`/lines/${p}?do=edit`}><${f} name="pencil" />${s("line.edit")}<//>
        <${_} to=${`/lines/${p}?do=${a.suspended?"resume":"suspend"}`}><${f} name=${a.suspended?"play":"circle-pause"} />${s(a.suspended?"line.resume":"line.suspend")}<//>
        ${w("lines:delete")&&r`<hr /><${_} class="bad" to=${`/lines/${p}?do=delete`}><${f} name="trash-2" />${s("line.delete")}…<//>`}<//>`}
      ${o&&r`<${jr} line=${a} then=${ne=>{ne&&l(s(b?"line.active":"line.renewed",{until:xe(ne)}))}} />`}
    </span></td>
  </tr>`}function _l(e){let t=Y({timer:0,touch:!1,done:!1}),n=()=>clearTimeout(t.current.timer),o=()=>{n(),t.current.done||e(),t.current.done=!0};return{onPointerDown:a=>{let i=a.pointerType==="touch";t.current={touch:i,done:!1,timer:i?setTimeout(o,500):0}},onContextMenu:a=>{t.current.touch&&(a.preventDefault(),o())},onPointerUp:n,onPointerCancel:n,onPointerMove:n,onTouchEnd:a=>{t.current.done&&a.cancelable&&a.preventDefault()}}}function Ol({id:e}){let t=Oe(e);return r`<span class="owner">${t?s("line.owner-name",{name:t}):s("line.owner-id",{id:e})}</span>`}var Yn=()=>r`<tr><th scope="col" class="d">${s("statement.date")}</th><th scope="col">${s("statement.what")}</th><th scope="col" class="who">${s("statement.who")}</th>
  <th scope="col" class="num">${s("statement.amount")}</th><th scope="col" class="num bal">${s("statement.balance")}</th></tr>`;function Us(e){let t=Number(e.counterparty),n=e.line_username||e.counterparty_username,o=s("kind."+e.kind),a=e.line&&w("lines:read")?"/lines/"+e.line:t>0&&t!==h().id&&Q.seeResellers()?"/resellers/"+t:"",i=a?r`<${_} to=${a} title=${n} translate=${!n} data-row>${n||o}<//>`:n?r`<b translate=${!1}>${n}</b>`:o,l=ae("balance-after",{amount:E(e.balance)}).map(c=>c&&typeof c=="string"?r`<span class="word">${c}</span>`:c);return r`<tr key=${e.id} data-id=${e.id}>
    <td class="d"><time datetime=${e.at} title=${A(e.at)}>${_t(e.at)}</time></td>
    <td class="what clip">${n?r`${o} ${i}`:i}${e.notes&&r` <span class="quiet" title=${e.notes}>${e.notes}</span>`}</td>
    <td class="who quiet clip" translate=${!1}>${e.actor_name===Ct()?s("statement.you"):e.actor_name||s("statement.above")}</td>
    <td class="num amount ${e.amount.startsWith("-")?"out":"in"}" translate=${!1}>${ot(e.amount)}</td>
    <td class="num bal quiet">${l}</td></tr>`}var oa=({of:e})=>r`<section class="panel">
  <header><h2>${s("home.movements")}</h2><${_} class="button link" to="/statement">${s("home.all")}<//></header>
  <${G} of=${e}>${({data:t,next_cursor:n})=>t.length?r`<table class="table dense ledger" aria-label=${s("home.movements")}><tbody>${t.slice(0,5).map(Us)}</tbody></table>`:r`<p class="quiet">${n?s("home.unsure"):s("home.movements-none")}</p>`}<//>
</section>`;function Zn(e,t){let n=R({name:e,method:"POST",path:"/lines/test",title:s("trial.new"),fields:{}});return C(()=>{n.state==="done"&&(t?.(),be("/lines/"+n.answer.id,{state:P(s("trial.done",{name:n.answer.username}))}))},[n.state]),n}var Xn=({form:e})=>e.state==="unknown"?r`<${ge} form=${e} />`:e.state==="refused"&&e.problem&&r`<${N} problem=${e.problem} />`;function zt({plain:e=!1}){let t=Zn("trial"),{state:n}=t;return r`<div class="trial" data-form=${n}>
    ${n!=="unknown"&&r`<button type="button" class=${e?"button":"button primary"} disabled=${t.frozen} onClick=${()=>t.send({})}><${f} name="plus" />${s(n==="sending"?"form.sending":"trial.new")}</button>`}
    <${Xn} form=${t} />
  </div>`}var ra=()=>`resellerd${me} started ${se(h())}`;function aa(e){let{messages:t,reading:n}=Qe(),[o,a]=g(()=>!!Be(ra())),l=!h().is_admin&&["lines:read","lines:write","lines:spend","users:write"].every(w)&&!o&&!!e&&!e.lines.running&&!e.lines.expired_14d&&!e.days.some(p=>p.activations||p.extensions),c=He(l?"/lines":null,{isTrial:0,limit:1},1),m=et("server",t),d=!!e&&(e.lines.trials>0||e.days.some(p=>p.trials>0));return{reading:n,known:!l||!n&&!!(c.value||c.problem),takes:l&&c.value?.data.length===0,server:m,tried:d,at:m?d?2:1:0,leave:()=>{De(ra(),"yes"),a(!0)}}}function ia({of:{server:e,tried:t,at:n,leave:o}}){let a=Le().prices?.find(m=>m.period==="1 month"),i=[!!e,t,!1],l="/lines?show=trials",c=(m,d,p,u)=>{let $=["server","trial","customer"].indexOf(m),b=s("start."+m);return r`<li class=${i[$]?"is-done":$===n?"is-now":""} aria-current=${$===n?"step":void 0} data-step=${m}>
      <span class="step" aria-hidden="true">${i[$]?r`<${f} name="check" />`:$+1}</span>
      <div><h2>${b}${i[$]&&r`<span class="hush"> ${s("start.done")}</span>`}</h2><p class="quiet text">${d}</p>${$===n&&u}</div>
      ${i[$]&&r`<${_} class="button ghost only" to=${p} aria-label=${s("start.change",{step:b})} title=${s("start.change",{step:b})}><${f} name="pencil" /><//>`}</li>`};return r`<section class="panel first-steps"><ol class="steps">
      ${c("server",e||s("start.server-why"),"/messages",r`<${_} class="button primary" to="/messages">${s("start.server-do")}<//>`)}
      ${c("trial",s("start.trial-why"),l,r`<${zt} />`)}
      ${c("customer",a?s("start.customer-costs",{cost:V(a.credits)}):s("start.customer-why"),"/lines",r`<${_} class="button primary" to=${l}>${s("start.customer-do")}<//>`)}
    </ol><p class="foot"><span>${s("start.at",{done:i.filter(Boolean).length,all:i.length})}</span><button type="button" class="button link" data-later onClick=${o}>${s("start.later")}</button></p></section>`}var Ut=({url:e})=>e.split("/")[2].split("?")[0],la=()=>({lines:{line:["trial_created","activated","extended","plan_changed","expiring","expired","suspended","resumed","imported","reimported","updated","deleted"]},balance:{balance:["low","recovered"]},accounts:{reseller:["created","credited","reclaimed","updated","blocked","unblocked"]},access:{session:["started","ended"],token:["revoked"],password:["changed"],totp:["enabled","disabled","reset"]},keys:{key:["created","updated","revoked"],staff:["created","updated","removed"]},webhooks:{webhook:["created","updated","rotated","disabled","removed"]},jobs:{bulk:["finished"]},prices:h().is_admin?{plan:["created","updated"],prices:["changed"]}:{prices:["changed"]},service:h().is_admin?{operator:["blocked","unblocked","password_reset","admin_created","service_key_replaced"],journal:["began","restored"]}:{operator:["blocked","unblocked","password_reset"]}}),eo=e=>Object.keys(e).map(t=>t+".*"),ca=e=>Object.entries(e).flatMap(([t,n])=>n.map(o=>`${t}.${o}`)),Tl=e=>e.split(".")[0]+".*",Hs=(e,t)=>e.includes(t)||e.includes(Tl(t)),ma=(e,t)=>eo(t).every(n=>e.includes(n)),da=e=>$e("event."+e)?s("event."+e):e;function Ws({types:e}){if(e.includes("*"))return s("webhook.everything");let t=[],n=new Set;for(let[o,a]of Object.entries(la())){let i=ca(a).filter(l=>Hs(e,l));for(let l of[...i,...eo(a)])n.add(l);ma(e,a)?t.push(s("activity."+o)):i.length&&t.push(`${s("activity."+o)} (${Ze(i.map(da))})`)}return[...t,...e.filter(o=>!n.has(o))].join("; ")}var Gs=({scope:e})=>s("webhook."+e),Ks=({webhook:e})=>r`<${Ue} good=${e.enabled}>${s(e.enabled?"webhook.on":"webhook.off")}<//>`,xt=({disabled_reason:e})=>[s("webhook.why."+e),s("webhook.mend."+e)],Js=e=>({url:e?.url||"",everything:!e||e.types.includes("*"),types:e?.types.filter(t=>t!=="*")||[],scope:e?.scope||(Q.haveBelow()?"tree":"own"),description:e?.description||""}),Qs=({everything:e,types:t,description:n,...o})=>({...o,types:e?["*"]:t,description:n.trim()||null}),Vs=({everything:e,types:t})=>e||t.length>0,Ys=({form:e})=>r`
  <${q} form=${e} name="url" label=${s("webhook.url")} hint=${s("webhook.url-hint")} type="url" inputmode="url" maxlength="2048" required />
  <${Ge} form=${e} name="everything" label=${s("webhook.types")} of=${[[!0,s("webhook.everything")],[!1,s("webhook.chosen")]]} />
  ${!e.fields.everything&&r`<fieldset class="kinds" disabled=${e.frozen} aria-label=${s("webhook.types")}>
    ${!e.fields.types.length&&r`<p class="quiet">${s("webhook.choose")}</p>`}
    ${Object.entries(la()).map(([t,n])=>r`<${ql} key=${t} label=${s("activity."+t)} kind=${n} form=${e} />`)}
  </fieldset>`}
  ${Q.haveBelow()&&r`<${Ge} form=${e} name="scope" label=${s("filter.whose")} of=${["own","tree"].map(t=>[t,s("webhook."+t)])} />`}
  <${q} form=${e} name="description" label=${s("webhook.description")} kind="textarea" rows="2" maxlength="2000" />`;function ql({label:e,kind:t,form:n}){let o=n.fields.types,a=ma(o,t),i=ca(t),l=eo(t),[c]=g(!a&&i.some(u=>Hs(o,u))),m=o.filter(u=>!i.includes(u)&&!l.includes(u)),d=u=>n.set({types:[...m,...u]}),p=(u,$)=>d(i.filter(b=>b===u?$:Hs(o,b)));return r`<div role="group" aria-label=${e}>
    <label class="check"><input type="checkbox" checked=${a} onChange=${u=>d(u.target.checked?l:[])} />${e}</label>
    ${!a&&r`<details open=${c}><summary>${s("webhook.single")}</summary>
      <div class="choice">${i.map(u=>r`<label key=${u}>
        <input type="checkbox" value=${u} checked=${Hs(o,u)} onChange=${$=>p(u,$.target.checked)} />${da(u)}
      </label>`)}</div>
    </details>`}
  </div>`}var Zs=null,Fl=10*6e4,pa=(e=0)=>M("/ledger/proof",{},async(t,n,o)=>Zs&&W()-Date.parse(Zs.at)<e?Zs:Zs=await K("GET",t,{signal:o}));function ua(){let e=pa();return r`<${U} title=${s("nav.proof")}>
    <p>${s("proof.meaning")}</p>
    <${G} of=${e}>${t=>r`
      <${ee} tone=${t.balanced?"good":"bad"}><p><strong>${s(t.balanced?"proof.good":"proof.bad")}</strong></p><//>
      <section class="panel"><${X} of=${[[s("proof.issued"),r`<${fe} of=${t.issued} />`],[s("proof.held"),r`<${fe} of=${t.balances} />`],[s("proof.consumed"),r`<${fe} of=${t.consumed} />`],[s("proof.movements"),F(t.movements)],[s("proof.at"),A(t.at)]]} /></section>`}<//>
    ${!e.problem&&r`<div class="buttons"><button type="button" class="button" disabled=${e.loading} onClick=${e.reload}><${f} name="rotate-cw" />${s("proof.again")}</button></div>`}
  <//>`}function $a(){let{value:e,problem:t,reload:n}=pa(Fl),o=[["issued","issued"],["held","balances"],["consumed","consumed"]];return r`<section class="panel numbers"><h2>${s("home.credits")}</h2>
    ${t&&r`<${N} problem=${t} retry=${n} />`}
    <dl class="tiles">${o.map(([a,i])=>r`<div key=${i} class="tile" data-figure=${i}>
      <dt>${s("proof."+a)}</dt><dd class="figure" translate=${!1}>${e?E(e[i]):" "}</dd></div>`)}</dl>
    <p class="glance"><${_} class="button" to="/proof">${s("nav.proof")}<//>${e&&r`
      <${Ue} good=${e.balanced} badge>${s(e.balanced?"proof.balanced":"proof.unbalanced")}<//>
      <span class="quiet">${s("list.stale",{time:Ot(e.at)})}</span>`}</p>
  </section>`}var El=24*36e5,as=7,Rl=["trial_created","activated","extended","suspended","resumed","deleted","imported"].map(e=>"line."+e).concat("bulk.*","reseller.*","balance.*","webhook.disabled","operator.*"),Xs=()=>!h().is_admin&&w("users:write");function fa(){let e=j.use().query.get("do"),t=Ae("picked");return e==="extend"&&t&&w("lines:spend")?r`<${Ls} action="extend" picked=${t} said=${[s("filter.says-soon",{n:7})]} up="/" />`:e==="alert"&&Xs()?r`<${Pl} />`:r`<${Dl} />`}function Pl(){let e=rs(h().id);return r`<${U} title=${s("nav.home")} up="/"><${G} of=${e}>${t=>r`<${js} account=${h()} alerts=${t} />`}<//><//>`}function Dl(){let e=!!h().is_admin,t=w("lines:read"),n=w("events:read"),o=!n&&w("ledger:read"),[a]=g(W),i=ce=>new Date(a+ce*El).toISOString(),l=ea(),c={isTrial:0,effective:"running",expires_after:i(0),expires_before:i(7)},m={isTrial:0,effective:"expired",expires_after:i(-14),sort:"latest_expiry"},d=He(t?"/lines":null,{...c,limit:as},as),p=He(t?"/lines":null,{...m,limit:as},as),u=He(n?"/events":o?`/users/${h().id}/ledger`:null,n?{limit:5,order:"desc",type:Rl}:{limit:5},5),$=M(w("manage")?"/webhooks":null),b=aa(l.value),{takes:y}=b,[v,k]=g(null),O=Y(!1);O.current||=[t&&d,t&&p,t&&l,(n||o)&&u,w("manage")&&$].every(ce=>!ce||ce.value||ce.problem)&&b.known&&(!Xs()||!b.reading);let L=l.value?.lines.expiring_7d||0,T=l.value?.lines.expired_14d||0,H=t&&L>0&&w("lines:spend"),ne=(ce,Ie)=>r`<button type="button" class="button" data-queue onClick=${()=>k(ce)}><${f} name="message-circle" />${Ie}</button>`;return r`<${U} title=${s(y?"start":"nav.home")} actions=${w("lines:write")&&!(y&&b.at===1)&&r`<${zt} plain=${H||y} />`}>
    ${O.current?r`<${Ml} of=${$.value?.data} /><div class="cols">
      ${y?r`<div class="stack"><${ia} of=${b} /></div>`:t&&r`<div class="stack">
        <${to} title=${L?s("home.soon-n",{n:L,count:F(L)}):s("home.soon")} icon="calendar-clock" of=${d} lines none=${s("home.soon-none")} all="/lines?when=soon&show=official" n=${L}
          actions=${L>0&&r`${H&&r`<button type="button" class="button primary" onClick=${()=>Z("extend",{picked:{filter:c}})}>${s("home.renew",{n:L,count:F(L)})}</button>`}
            ${ne(c,s("home.remind",{n:L,count:F(L)}))}`} />
        <${to} title=${T?s("home.past-n",{n:T,count:F(T)}):s("home.past")} icon="user-round-x" of=${p} lines none=${s("home.past-none")} all="/lines?when=past&show=official" n=${T}
          actions=${T>0&&ne(m,s("home.win-back"))} />
        <${ta} of=${l} />
      </div>`}
      <div class="stack">
        ${e?r`${w("ledger:read")&&r`<${$a} />`}<${Il} />`:r`<${Al} lines=${l.value?.lines} />`}
        ${t&&!y&&r`<${sa} of=${l} />`}
        ${n?r`<${to} title=${s("home.activity")} of=${u} row=${os} none=${s("activity.none")} all="/activity" />`:o&&r`<${oa} of=${u} />`}
      </div>
    </div>`:r`<${Ft} />`}
    ${v&&r`<${qs} query=${v} onClose=${()=>k(null)} />`}
  <//>`}function Al({lines:e}){let t=_e.use(),n=Po.use(),o=rs(h().id),{prices:a}=Le(),i=a?.find(p=>p.period==="1 month"),l=o.value?.balance_low,c=t&&(o.value||o.problem||!w("users:read"))?ys(t.credits,l,i?.credits):"",m=t&&i?B(t.credits)/B(i.credits):0n,d=l?s("alert.is",{amount:E(l)}):s(o.value?"alert.new":"alert");return r`<section class="panel own">
    <header><h2>${s("home.balance")}</h2>${Xs()&&r`<button type="button" class="button ghost only" aria-label=${d} title=${d} data-alert onClick=${()=>Z("alert")}><${f} name="bell" /></button>`}</header>
    <div class="balance-row"><${Wo} of=${t} />${Xs()&&r`<${Ll} balance=${t?.credits} lines=${e} low=${!!c} />`}</div>
    ${!t&&n&&r`<${N} problem=${n} retry=${Ve} />`}
    <p class="stock">${c?r`<span data-low=${c}><${at} tone="warn" icon="circle-alert">${s("home.low",{amount:E(c)})}<//></span>`:i&&m>0n?r`<span class="quiet">${s("home.enough",{n:Number(m),count:F(m),period:Es(i.period)})}</span>`:" "}</p>
  </section>`}function Ll({balance:e="0",lines:t,low:n}){let{staff:o,username:a}=h(),i=Qe().messages?.inherited||{},l=t?.expiring_7d||0,c=s(l?"ask.message-soon":"ask.message",{n:l,count:F(l),name:o?s("acts-for",{name:o.username,account:a}):a,balance:V(e)});return r`<div class=${n?"ask urgent":"ask"}><a class="button" href=${Yr(i,c)} target="_blank" rel="noopener noreferrer"><${f} name="hand-coins" />${s("ask")}</a>
    ${!i.whatsapp&&!i.telegram&&r`<${Rt} text=${c} label=${s("ask.copy")} />`}</div>`}function Il(){let{value:e,problem:t}=M("/service");return t?null:r`<section class="panel service"><h2>${s("home.service")}</h2>
    <${X} of=${[[s("home.version"),e?e.version:" "],[s("home.store"),e?e.store:" "],[s("home.started"),e?A(e.started_at):" "],[s("home.backup"),e?e.last_backup_at&&A(e.last_backup_at):" "]]} /></section>`}function Ml({of:e=[]}){let t=e.filter(n=>!n.enabled&&n.disabled_reason!=="requested");return t.length>0&&r`<${ee} tone="unsure"><p><strong>${s("home.still",{n:t.length})}</strong></p>
    ${t.map(n=>r`<p key=${n.id}><${_} to=${"/webhooks/"+n.id}>${Ut(n)}<//> ${xt(n)[0]}</p>`)}<//>`}function to({title:e,icon:t="",of:n,row:o,lines:a=!1,none:i,all:l,n:c=0,actions:m}){let d=n.value?.next_cursor||!a&&n.value?.data.length?"all":n.value?.data.length>3?"all thumb":"";return r`<section class=${a?"panel task":"panel"}><header><h2>${t&&r`<${f} name=${t} />`}${e}</h2>${m&&r`<div class="buttons">${m}</div>`}</header>
    <${G} of=${n}>${({data:p,next_cursor:u})=>r`
      ${p.length?a?r`<table class="table customers few"><tbody>${p.slice(0,as).map($=>zs($))}</tbody></table>`:r`<ul class="rows">${p.slice(0,5).map($=>r`<li key=${$.id}>${o?.($)}</li>`)}</ul>`:r`<p class="quiet">${u?s("home.unsure"):i}</p>`}
      ${d&&r`<p class=${d}><${_} to=${l}>${c?s("home.all-n",{n:c,count:F(c)}):s("home.all")}<//></p>`}`}<//>
  </section>`}var so=50,ha=()=>r`<${U} title=${s("nav.jobs")}>
  <${Ke} path="/bulk" label=${s("nav.jobs")} empty=${s("job.none")} row=${e=>r`<${_} class="row job-row" to=${"/jobs/"+e.id} data-row>
    <span class="name">${wt(e)}</span><span class="quiet">${es(e)}</span><span class="quiet">${A(e.created_at)}</span><//>`} />
<//>`;function ba({id:e}){let t=M(`/bulk/${e}`),n=Se.use(),o=n?.id===Number(e)?n:t.value;return C(()=>{t.value?.status==="running"&&At(t.value)},[t.value]),r`<${U} title=${o?wt(o):s("nav.jobs")} up="/lines">
    <${G} of=${o?{value:o}:t}>${a=>r`<${jl} job=${a} />
      <p><${_} to="/jobs">${s("job.all")}<//></p>`}<//>
  <//>`}function jl({job:e}){let t=e.status==="running",n=vt[e.action]||"lines:write";return r`<section class="panel" data-job=${e.status}>
    ${t&&r`<progress role="progressbar" max=${e.matched} value=${e.done} aria-valuenow=${e.done} aria-valuemin="0" aria-valuemax=${e.matched}
      aria-label=${wt(e)} aria-valuetext=${Cs(e)}></progress>`}
    <p class="glance" role=${t?void 0:"status"}>${es(e)}</p>
    ${t&&w(n)&&r`<${Nl} job=${e} />`}
    ${!t&&!e.dry_run&&r`<${X} of=${[[s("job.charged"),e.charged!=="0"&&r`<${fe} of=${e.charged} />`],[s("job.left"),e.status==="stopped"&&Fe(e.matched-e.done)],[s("job.began"),A(e.created_at)],[s("job.ended"),e.finished_at&&A(e.finished_at)]].filter(([,o])=>o)} />`}
  </section>
  ${!t&&!e.dry_run&&e.done>0&&r`<${Bl} job=${e} />`}`}function Nl({job:e}){let t=R({name:"stop "+e.id,method:"DELETE",path:"/bulk/"+e.id,title:s("job.stop"),fields:{}});return D(t,()=>Se.set(t.answer)),r`<${z} form=${t} danger submit=${s("job.stop")} onSubmit=${()=>t.send()} />`}function Bl({job:{id:e,refused:t}}){let[n,o]=g(null),[a,i]=g(null),l=()=>{let c=new AbortController,m={},d=t;return i(null),qo(`/bulk/${e}/results`,({line:p,code:u,line_username:$})=>{if(!u)return!0;let b=m[u]||={n:0,lines:[]};return b.n++<so&&b.lines.push({line:p,name:$||s("job.line",{id:p})}),--d>0},c.signal).then(()=>o(m),p=>{c.signal.aborted||i(p)}),()=>c.abort()};return C(()=>t?l():void 0,[]),r`${t>0&&r`<section class="panel" aria-busy=${!n&&!a}><h2>${s("job.refused",{n:t,count:F(t)})}</h2>
    ${a&&r`<${N} problem=${a} retry=${l} />`}
    ${n&&Object.entries(n).map(([c,{n:m,lines:d}])=>r`<div key=${c} data-why=${c}>
      <p>${Fe(m)}: ${_s(c)}</p>
      <ul class="names">${d.map(({line:p,name:u})=>r`<li key=${p} class="name" translate=${!1}>${c==="not-found"?u:r`<${_} to=${"/lines/"+p}>${u}<//>`}</li>`)}${m>so&&r`<li class="quiet">${s("job.more",{n:m-so})}</li>`}</ul></div>`)}
  </section>`}
  <div class="buttons"><a class="button" href=${`${me}/bulk/${e}/results`} download=${`job-${e}.ndjson`}><${f} name="download" />${s("job.save")}</a></div>`}function en({path:e,title:t,meaning:n,add:o,most:a,full:i,empty:l,row:c}){let m=M(e);return r`<${U} title=${t}>
    <p>${n}</p>
    <${G} of=${m}>${({data:d})=>r`
      <div class="buttons">${d.length<a?r`<button type="button" class="button primary" onClick=${()=>Z("create")}><${f} name="plus" />${o}</button>`:r`<p class="quiet">${i}</p>`}</div>
      ${d.length?r`<div><ul class="rows" aria-label=${t}>${d.map(p=>r`<li key=${p.id}>${c(p)}</li>`)}</ul></div>`:r`<p class="empty">${l}</p>`}`}<//>
  <//>`}var Re=ie(null);function tn({of:e,title:t,meaning:n,copy:o}){let a=Re.use();return a?.of!==e?null:r`<section class="panel">
    <h2>${t}</h2>
    <p><code translate=${!1} data-secret>${a.secret}</code></p>
    <p>${n}</p>
    <div class="buttons"><${ft} text=${a.secret} label=${o} /></div>
  </section>`}var Ht=()=>C(()=>()=>Re.set(null),[]);function pt({meaning:e,submit:t,danger:n=!1,body:o,fields:a,then:i,children:l,...c}){let m=R({...c,fields:a||{}});return D(m,()=>i(m.answer)),r`<section class="panel"><h2>${c.title}</h2>
    <${z} form=${m} danger=${n} submit=${t} onSubmit=${()=>m.send(a?m.fields:o)} onClose=${()=>x()}>
      <p>${e}</p>${l?.(m)}<//>
  </section>`}var sn=({form:e,name:t})=>r`<${q} form=${e} name="reason" label=${s("reason")} hint=${s("reason.hint",{name:t})} kind="textarea" rows="2" maxlength="500" />`;var ya=["read_only","support","cashier","manager"],ga=["lines:read","lines:passwords","lines:write","lines:spend","lines:delete","users:read","users:write","credits:move","ledger:read","events:read","entitlements:read","prices:write","manage"],wa=(e,t)=>$e(`${e}.${t}`)?s(`${e}.${t}`):t,nn=e=>e.role?wa("rights",e.role):e.scopes.map(t=>wa("scope",t)).join("; "),no=e=>$e(`rights.${e}-means`)?s(`rights.${e}-means`):"",oo=({spend_limit:e,spent:t})=>e?s("limit.spent",{spent:E(t),limit:V(e.credits)}):s("limit.none"),ro=({last_used_at:e,last_used_address:t})=>e?s("key.used",{at:A(e),address:t||""}):s("key.unused");function ao({one:{expires_at:e}}){let t=!e||new Date(e).getTime()>W();return r`<${Ue} good=${t}>${s("line.state."+(t?"active":"expired"))}<//>`}var on=e=>new Date(new Date(e).getTime()-new Date(e).getTimezoneOffset()*6e4).toISOString().slice(0,10),io=(e,t)=>({...e==="key"?{name:t?.name||"",expires_at:t?.expires_at?on(t.expires_at):"",allowed_addresses:t?.allowed_addresses.join(`
`)||""}:{username:t?.username||"",...t?{}:{password:""}},role:t?t.role||"":ya[0],scopes:t?.scopes||[],credits:t?.spend_limit?E(t.spend_limit.credits):""});function lo({role:e,scopes:t,credits:n,expires_at:o,allowed_addresses:a,...i},l){let{amount:c}=ye(n);return{...i,...e?{role:e}:{scopes:t},spend_limit:c?{credits:c,per:"day"}:null,...a===void 0?{}:{allowed_addresses:Ye(a).split(/[\s,;]+/).filter(Boolean),expires_at:o?l?.expires_at&&on(l.expires_at)===o?l.expires_at:new Date(o+"T23:59:59").toISOString():null}}}var co=({role:e,scopes:t})=>!!e||t.length>0;function mo({form:e,kind:t,...n}){let{fields:o}=e,a=(i,l)=>e.set({scopes:ga.filter(c=>c===i?l:o.scopes.includes(c))});return r`
    ${t==="key"?r`<${q} form=${e} name="name" label=${s("key.name")} hint=${s("key.name-hint")} maxlength="64" required />`:r`<${q} form=${e} name="username" label=${s("username")} hint=${s("staff.username-hint")} maxlength="64" required />
        ${"password"in o&&r`<${q} form=${e} name="password" label=${s("password")} hint=${s("password.generated")} minlength="6" maxlength="128" required />`}`}
    <${Ge} form=${e} name="role" label=${s("rights")} of=${[...ya,""].map(i=>[i,s("rights."+(i||"own")),no(i||"own")])} />
    ${!o.role&&r`<fieldset class="choice few" disabled=${e.frozen} aria-label=${s("rights.own")}>
      ${!o.scopes.length&&r`<p class="quiet">${s("webhook.choose")}</p>`}
      ${ga.filter(w).map(i=>r`<label key=${i}>
        <input type="checkbox" value=${i} checked=${o.scopes.includes(i)} onChange=${l=>a(i,l.target.checked)} />
        <span>${s("scope."+i)}</span></label>`)}
    </fieldset>`}
    <${it} form=${e} typed=${ye(o.credits)} label=${s("limit")} hint=${s("limit.hint")} required=${!1} />
    ${t==="key"&&r`
      <${q} form=${e} name="expires_at" label=${s("key.expires")} hint=${s("key.expires-hint")} type="date" max="9999-12-31" ...${n} />
      <${q} form=${e} name="allowed_addresses" label=${s("key.addresses")} hint=${s("key.addresses-hint")} kind="textarea" rows="2" maxlength="2500" />`}`}var zl="abcdefghijkmnpqrstuvwxyz23456789",rn=()=>[...crypto.getRandomValues(new Uint8Array(12))].map(e=>zl[e&31]).join("").replace(/.{4}(?=.)/g,"$&-");function an({of:e,name:t,number:n=""}){let o=Re.use();if(o?.of!==e)return null;let a=s("access.message",{address:location.origin+rt("/"),name:t,password:o.secret});return r`<section class="panel"><h2>${s("access.send")}</h2>
    <p>${s("access.once")}</p>
    <p class="bubble text" translate=${!1} data-access>${a}</p>
    <div class="buttons"><a class="button send" href=${qe(n,a)} target="_blank" rel="noopener noreferrer"><${f} name="message-circle" />${n?s("line.whatsapp-to",{number:Dt(n)}):s("line.whatsapp")}</a>
      <${ft} text=${a} label=${s("line.copy")} /></div>
  </section>`}var ln=({form:e})=>r`<input hidden autocomplete="username" value=${Ct()} />
  <${q} form=${e} name="password" label=${s("password.present")} type="password" autocomplete="current-password" maxlength="128" required />`;function va(){let e=R({name:"own password",method:"PATCH",path:"/auth/password",title:s("password.change"),secret:["password","new_password"],fields:{password:"",new_password:""}});return D(e,()=>x(P(s("password.own-changed")))),r`<section class="panel"><h2>${s("password.change")}</h2>
    <${z} form=${e} submit=${s("password.change")} onSubmit=${()=>e.send(e.fields)} onClose=${()=>x()}>
      <p>${s(h().staff?"password.staff-meaning":"password.own-meaning")}</p>
      <${ln} form=${e} />
      <${q} form=${e} name="new_password" label=${s("password.new")} hint=${s("password.hint")} type="password" autocomplete="new-password" minlength="6" maxlength="128" required />
    <//>
  </section>`}function ka({account:e}){let[t,n]=g(null),[o,a]=g(!1),i=R({name:"own name",method:"PATCH",path:"/users/"+e.id,title:s("name.change"),secret:["password"],fields:{username:e.username,password:"",whatsapp:e.whatsapp||""}}),{fields:l,answer:c}=i,m=async()=>{if(!o){a(!0),n(null);try{await K("PATCH","/auth/password",{body:JSON.stringify({password:l.password,new_password:l.password})}),i.send({...l,country:e.country})}catch(p){n(p)}a(!1)}},d=["invalid-credentials","validation-failed"].includes(t?.code);return D(i,()=>{Ro(c.username),x(P(s("name.changed",{name:c.username})))}),r`<section class="panel"><h2>${s("name.change")}</h2>
    <${z} form=${i} submit=${s("name.change")} onSubmit=${m} onClose=${()=>x()}>
      <${q} form=${i} name="username" label=${s("username")} maxlength="64" required />
      <${q} form=${i} name="password" label=${s("password.present")} wrong=${d&&s("problem.wrong-password")} type="password" autocomplete="current-password" maxlength="128" required />
      ${!e.whatsapp&&r`<${q} form=${i} name="whatsapp" label=${s("whatsapp")} hint=${s("whatsapp.hint")} type="tel" inputmode="tel" maxlength="64" required />`}
      ${t&&!d&&r`<${N} problem=${t} />`}
    <//>
  </section>`}function cn({title:e,more:t=()=>null}){let n=Y(null);return C(()=>{let o=()=>{n.current&&Oo(r`<strong>${e}</strong><p>${[Vt,location.host,s("print.at",{at:A(new Date(W()))})].filter(Boolean).join(" · ")}</p>${t()}`,n.current)};return addEventListener("beforeprint",o),()=>removeEventListener("beforeprint",o)}),r`<div class="printed" ref=${n}></div>`}var xa=({on:e})=>r`<section class="panel">
  <h2>${s("factor")}</h2>
  <p><${at} tone=${e?"good":"plain"} icon=${e?"circle-check":"circle-slash-2"} badge>${s(e?"webhook.on":"webhook.off")}<//></p>
  <p>${s("factor.meaning")}</p>
  <div class="buttons"><button type="button" class="button" onClick=${()=>Z(e?"no-totp":"totp")}>${s(e?"factor.remove":"factor.new")}</button></div>
</section>`,Sa="confirm second factor";function Ca({of:e}){let[t,n]=g(null),[o,a]=g([]);return r`<section class="panel"><h2>${s("factor.new")}</h2>
    ${o.length?r`<${Gl} codes=${o} />`:t||cr(Sa)?r`<${Hl} of=${t} show=${a} />`:r`<${G} of=${e}>${({totp:i})=>i?r`<p>${s("problem.totp-active")}</p><div class="buttons"><button type="button" class="button" onClick=${()=>x()}>${s("close")}</button></div>`:r`<${Ul} begin=${n} />`}<//>`}
  </section>`}function Ul({begin:e}){let t=R({name:"begin second factor",method:"POST",path:"/auth/totp",title:s("factor.new"),secret:["password"],fields:{password:""}});return D(t,()=>e(t.answer)),r`<${z} form=${t} submit=${s("factor.next")} onSubmit=${()=>t.send(t.fields)} onClose=${()=>x()}>
    <p>${s("factor.apps")}</p>
    <${ln} form=${t} />
  <//>`}function Hl({of:e,show:t}){let n=R({name:Sa,method:"POST",path:"/auth/totp/confirm",title:s("factor.new"),place:"/sessions?do=totp",secret:["code"],fields:{code:""}});return D(n,()=>t(n.answer.recovery_codes)),r`<${z} form=${n} submit=${s("factor.confirm")} onSubmit=${()=>n.send({code:yn(n.fields.code)})} onClose=${()=>x()}>
    ${e&&r`<p>${s("factor.scan")}</p>
      <div class="code"><${Wl} svg=${e.qr_svg} />
        <div><p>${s("factor.type")}</p><p><code translate=${!1} data-secret>${e.secret.match(/.{1,4}/g)?.join(" ")}</code></p>
          <div class="buttons"><${ft} text=${e.secret} label=${s("webhook.secret-copy")} /><a class="button" href=${e.otpauth_url}>${s("factor.open")}</a></div></div></div>`}
    <${vn} form=${n} name="code" />
  <//>`}function Wl({svg:e}){let[,t,n]=/^<svg [^>]*viewBox="0 0 (\d+) \d+".* d="([MhvHz\d -]+)"\/><\/svg>$/.exec(e)||[];return t?r`<svg class="qr" viewBox="0 0 ${t} ${t}" role="img" aria-label=${s("factor.qr")}><path d=${n} /></svg>`:null}function Gl({codes:e}){return C(()=>document.querySelector("h2")?.focus(),[]),r`
    <${ee} tone="good"><p>${s("factor.on")}</p><//>
    <p>${s("factor.codes")}</p>
    <${cn} title=${s("print.codes",{name:Ct()})} />
    <ul class="codes">${e.map(t=>r`<li key=${t}><code translate=${!1}>${t}</code></li>`)}</ul>
    <div class="buttons">
      <${ft} text=${e.join(`
`)} label=${s("factor.codes-copy")} />
      <button type="button" class="button" onClick=${()=>print()}>${s("print")}</button>
      <button type="button" class="button primary" onClick=${()=>x(P(s("factor.on")))}>${s("factor.kept")}</button>
    </div>`}var Kl=new Pe("wrong-proof");function _a(){let e=R({name:"remove second factor",method:"DELETE",path:"/auth/totp",title:s("factor.remove"),secret:["password","totp"],fields:{password:"",totp:""}}),{fields:t,problem:n}=e;D(e,()=>x(P(s("factor.removed"))));let o={...e,problem:n?.code==="invalid-credentials"?Kl:n};return r`<section class="panel"><h2>${s("factor.remove")}</h2>
    <${z} form=${o} danger submit=${s("factor.remove")} onSubmit=${()=>e.send({password:t.password,totp:yn(t.totp)})} onClose=${()=>x()}>
      <p>${s("factor.remove-meaning")}</p>
      <${ln} form=${o} />
      <${vn} form=${o} name="totp" recovery />
    <//>
  </section>`}function Oa(){let{query:e}=j.use(),t=e.get("do")||"",n=We("/auth/session"),o={password:va,name:!h().staff&&Jl,totp:Ca,"no-totp":_a},a=Object.hasOwn(o,t)&&o[t];return a?r`<${U} title=${s("nav.sessions")}><${a} of=${n} /><//>`:r`<${U} title=${s("nav.sessions")}>
    <div class="buttons"><button type="button" class="button" onClick=${()=>Z("password")}>${s("password.change")}</button>
      ${!h().staff&&r`<button type="button" class="button" onClick=${()=>Z("name")}>${s("name.change")}</button>`}</div>
    <${G} of=${n}>${i=>r`<${xa} on=${i.totp} /><${Ql} />`}<//>
  <//>`}function Jl(){let e=M("/users/logged");return r`<${G} of=${e}>${t=>r`<${ka} account=${t} />`}<//>`}function Ql(){let e=M("/auth/sessions");return r`<h2>${s("sessions")}</h2><p>${s(h().staff?"sessions.own-meaning":"sessions.meaning")}</p><${po} of=${e} />`}function po({of:e,name:t}){return r`<${G} of=${e}>${n=>{let o=n.filter(a=>!t||a.staff===t);return o.length?r`<ul class="rows">${o.map(a=>r`<li key=${a.id}><${Vl} session=${a} ended=${e.reload} /></li>`)}</ul>`:r`<p class="quiet">${s("sessions.none")}</p>`}}<//>`}function Vl({session:e,ended:t}){let[n,o]=g(null),[a,i]=g(!1),l=async()=>{i(!0),o(null);try{await K("DELETE","/auth/sessions/"+e.id),t()}catch(c){c.status===404?t():o(c),i(!1)}};return r`<div class="row session">
    <span class="name">${Yl(e.device)}${e.staff&&e.staff!==h().staff?.username&&r` · ${e.staff}`}${e.current&&r` <${Ue} good badge>${s("sessions.this")}<//>`}</span>
    <span class="quiet">${s("sessions.used",{at:A(e.last_used_at),address:e.address})}</span>
    <span class="quiet">${s("sessions.since",{at:A(e.created_at)})}</span>
    ${!e.current&&r`<button type="button" class="button" disabled=${a} onClick=${l}>${s("sessions.end")}</button>`}
    ${n&&r`<${N} problem=${n} retry=${l} />`}
  </div>`}function Yl(e){let t=[[/Edg(e|A|iOS)?\//,"Edge"],[/OPR\//,"Opera"],[/SamsungBrowser\//,"Samsung Internet"],[/Firefox\/|FxiOS\//,"Firefox"],[/Chrom(e|ium)\/|CriOS\//,"Chrome"],[/Safari\//,"Safari"]].find(([o])=>o.test(e))?.[1],n=[[/Android/,"Android"],[/iPhone|iPad/,"iOS"],[/Windows/,"Windows"],[/Mac OS X/,"macOS"],[/CrOS/,"ChromeOS"],[/Linux/,"Linux"]].find(([o])=>o.test(e))?.[1];return[t,n].filter(Boolean).join(" · ")||e||s("sessions.unknown")}var Zl=100,Ce={key:"/keys",staff:"/staff"},Wt=e=>e.name||e.username,Ta=()=>r`<${Ra} kind="key" />`,qa=()=>r`<${Ra} kind="staff" />`,Fa=({id:e})=>r`<${Pa} kind="key" id=${e} />`,Ea=({id:e})=>r`<${Pa} kind="staff" id=${e} />`;function Ra({kind:e}){let{query:t}=j.use();return t.get("do")==="create"?r`<${ec} kind=${e} />`:r`<${en} path=${Ce[e]} title=${s("nav."+Ce[e].slice(1))} meaning=${s(e+".meaning")} add=${s(e+".new")} most=${Zl}
    full=${s("problem.too-many-principals")} empty=${s(e+".none")} row=${n=>r`<${Xl} kind=${e} one=${n} />`} />`}var Xl=({kind:e,one:t})=>r`<${_} class="row principal" to=${`${Ce[e]}/${t.id}`} data-row>
  <span class="name" translate=${!1}>${Wt(t)}</span>
  <span>${e==="key"&&r`<${ao} one=${t} />`}</span>
  <span>${nn(t)}</span>
  <span class="quiet">${t.expires_at&&r`${s("event.until",{until:A(t.expires_at)})} · `}${oo(t)} · ${ro(t)}</span>
<//>`;function ec({kind:e}){let t=R({name:e,method:"POST",path:Ce[e],title:s(e+".new"),place:Ce[e]+"?do=create",secret:["password"],fields:{...io(e),...e==="staff"&&{password:rn()}}}),{fields:n,answer:o}=t;return D(t,()=>{Re.set({of:`${e} ${o.id}`,secret:o.key||n.password}),be(`${Ce[e]}/${o.id}`,{replace:!0,state:P(s(e+".created",{name:Wt(o)}))})}),r`<${U} title=${s(e+".new")} up=${Ce[e]}><section class="panel">
    <${z} form=${t} submit=${s("reseller.create")} ready=${co(n)} unclear=${!!ye(n.credits).wrong} onSubmit=${()=>t.send(lo(n))} onClose=${()=>x()}>
      <${mo} form=${t} kind=${e} min=${on(W())} />
    <//>
  </section><//>`}function Pa({kind:e,id:t}){let{query:n}=j.use(),o=We(`${Ce[e]}/${t}`);return Ht(),r`<${U} title=${o.value?Wt(o.value):s("nav."+Ce[e].slice(1))} named=${o.value} up=${Ce[e]}>
    <${G} of=${o}>${a=>r`<${tc} kind=${e} one=${a} doing=${n.get("do")||""} changed=${o.set} />`}<//>
  <//>`}function tc({kind:e,one:t,doing:n,changed:o}){let a={edit:nc,remove:ac,...e==="staff"?{password:oc,totp:rc}:{}},i=Object.hasOwn(a,n)&&a[n];if(i)return r`<${i} key=${n} kind=${e} one=${t} changed=${o} />`;let l=(c,m,d="")=>r`<button type="button" class=${"button "+d} onClick=${()=>Z(c)}>${s(m)}</button>`;return r`
    ${e==="staff"?r`<${an} of=${"staff "+t.id} name=${t.username} />`:r`<${tn} of=${"key "+t.id} title=${s("key.secret")} meaning=${s("key.secret-once")} copy=${s("key.secret-copy")} /><p class="glance"><${ao} one=${t} /></p>`}
    <div class="buttons">
      ${l("edit","line.edit")}
      ${e==="staff"&&r`${l("password","password.new")}${l("totp","reseller.totp")}`}
      ${l("remove",e+".remove","danger-plain")}
    </div>
    <section class="panel">
      <h2>${s("line.record")}</h2>
      <${X} of=${[[s("rights"),t.role?r`<strong>${nn(t)}</strong>. ${no(t.role)}`:nn(t)],[s("limit"),oo(t)],[s("key.expires"),e==="key"?t.expires_at?r`<${Uo} at=${t.expires_at} />`:s("key.never"):null],[s("key.addresses"),e==="key"?t.allowed_addresses.join(", ")||s("key.anywhere"):null],[s("key.last"),ro(t)],[s("line.id"),t.id],[s("created"),A(t.created_at)]]} />
    </section>
    ${e==="staff"&&!h().staff&&r`<${sc} name=${t.username} />`}`}function sc({name:e}){let t=M("/auth/sessions");return r`<section class="panel"><h2>${s("sessions")}</h2><${po} of=${t} name=${e} /></section>`}var mn=(e,t)=>`${s(e)}: ${Wt(t)}`;function nc({kind:e,one:t,changed:n}){let o=mn("line.edit",t),a=R({name:`edit ${e} ${t.id}`,method:"PATCH",path:`${Ce[e]}/${t.id}`,title:o,fields:io(e,t)}),{fields:i,answer:l}=a;return D(a,()=>{x(P(s("reseller.contact-done",{name:Wt(l)}))),n(l)}),r`<section class="panel"><h2>${o}</h2>
    <${z} form=${a} submit=${s("save")} ready=${co(i)} unclear=${!!ye(i.credits).wrong} onSubmit=${()=>a.send(lo(i,t))} onClose=${()=>x()}>
      <${mo} form=${a} kind=${e} />
    <//>
  </section>`}function oc({one:e}){let t=mn("password.new",e),n=R({name:"password of staff "+e.id,method:"PATCH",path:"/staff/"+e.id,title:t,secret:["password"],fields:{password:""}});return D(n,()=>x(P(s("staff.password-done",{name:e.username})))),r`<section class="panel"><h2>${t}</h2>
    <${z} form=${n} submit=${s("save")} onSubmit=${()=>n.send(n.fields)} onClose=${()=>x()}>
      <p>${s("staff.password-meaning")}</p>
      <${q} form=${n} name="password" label=${s("password.new")} hint=${s("reseller.password-hint")} minlength="6" maxlength="128" required />
    <//>
  </section>`}var rc=({one:e})=>r`<${pt} name=${"totp of staff "+e.id} method="DELETE" path=${`/staff/${e.id}/totp`} title=${mn("reseller.totp",e)}
  meaning=${s("reseller.totp-meaning")} submit=${s("reseller.totp")} danger then=${()=>x(P(s("reseller.totp-done",{name:e.username})))} />`,ac=({kind:e,one:t})=>r`<${pt} name=${`remove ${e} ${t.id}`} method="DELETE" path=${`${Ce[e]}/${t.id}`} title=${mn(e+".remove",t)}
  meaning=${s(e+".remove-meaning")} submit=${s(e+".remove")} danger then=${()=>qt(Ce[e],P(s(e+".removed",{name:Wt(t)})))} />`;function Da({text:e,onClose:t}){let[n,o]=g({side:1,path:""}),a=()=>{import("./qr.js").then(({drawing:i})=>o(i(e)),()=>o(new Pe("no-answer")))};return C(a,[]),r`<${pe} look="dialog" title=${s("line.qr")} onClose=${t}>
    ${n instanceof Pe?r`<${N} problem=${n} retry=${a} />`:n?r`<svg class="qr" viewBox="0 0 ${n.side} ${n.side}" role="img" aria-label=${s("line.qr")}><path d=${n.path} /></svg><p class="quiet">${s("line.qr-meaning")}</p>`:r`<p>${s("line.qr-long")}</p>`}
  <//>`}function La({id:e}){let{query:t}=j.use(),n=We(`/lines/${e}`,!0),o=n.value,{reading:a}=Qe(),{prices:i,problem:l}=Le(o?.owner),c=!a&&(i||l||!w("lines:spend")),m=Y(()=>{});return r`<${U} title=${o?.username||s("line.title")} named=${o} up="/lines" below=${o&&r`<${ic} line=${o} />`}
    actions=${o&&c&&r`<${lc} line=${o} stop=${()=>m.current()} />`}>
    <${G} of=${o&&!c?{loading:!0}:n}>${d=>r`<${yc} key=${d.updatedAt} line=${d} changed=${n.set} act=${m} />
      <${mc} line=${d} doing=${t.get("do")||""} changed=${n.set} />`}<//>
  <//>`}function ic({line:e}){let{expDate:t}=e,n=!nt(t);return r`<p class="glance"><${Et} line=${e} badge /> <span>${s(Date.parse(t)>W()?"line.ends":"line.ended")}${" "}
    <time datetime=${t} title=${A(t)}><b>${n?Tt(t):`${xe(t)}, ${Ot(t)}`}</b>${!n&&r` <span class="quiet">${ps(t)}</span>`}</time></span></p>`}function lc({line:e,stop:t}){let{username:n,suspended:o}=e,{prices:a}=Le(e.owner),i=w("lines:write"),l=s("line.edit"),c=w("lines:spend")&&!o&&a&&Rs(a,e).length>0;return r`${w("lines:spend")&&r`<${cc} line=${e} />`}
    ${i&&r`<button type="button" class="button" aria-label=${l} onClick=${()=>Z("edit")}><${f} name="pencil" /><span class="wide-only">${l}</span></button>`}
    ${(i||w("lines:delete")||c)&&r`<${he} label=${s("more-about",{name:n})} look="button only">
      ${c&&r`<button type="button" onClick=${()=>Z("plan")}><${f} name="tag" />${s("line.change-plan")}…</button>`}
      ${i&&r`<button type="button" onClick=${t}><${f} name=${o?"play":"circle-pause"} />${s(o?"line.resume":"line.suspend")}</button>`}
      ${w("lines:delete")&&r`<hr /><button type="button" class="bad" onClick=${()=>Z("delete")}><${f} name="trash-2" />${s("line.delete")}…</button>`}<//>`}`}function cc({line:e}){let{likely:t}=Bt(e),n=e.isTrial?"activate":"extend";return r`<button type="button" class="button primary" aria-haspopup="dialog" data-pay translate=${!t} onClick=${()=>Z(n)}>
    ${t?s(e.isTrial?"line.activate-for":"line.renew-for",{cost:V(t.credits)}):s("line."+n)}</button>`}function mc({line:e,doing:t,changed:n}){let o=zn(e),a=!e.isTrial,i=w("lines:spend"),l=w("lines:write"),c={activate:!a&&i&&Aa,extend:a&&i&&Aa,edit:l&&wc,plan:a&&i&&hc,suspend:l&&vc,resume:l&&kc,delete:w("lines:delete")&&xc},m=Object.hasOwn(c,t)&&c[t];return r`
    ${/suspended|blocked/.test(e.effective||"")&&r`<${ee}><p>${s(`line.${e.effective}-means`)}</p><${Ia} line=${e} />
      ${l&&e.suspended&&r`<button type="button" class="button" onClick=${()=>Z("suspend")}><${f} name="pencil" />${s("reason")}</button>`}<//>`}
    <div class="cols person">
      <${pc} line=${e} />
      <div class="stack"><${uc} line=${e} payer=${o} /></div>
      <${dc} line=${e} />
    </div>
    ${m&&r`<${m} key=${t} line=${e} payer=${o} changed=${n} />`}`}function dc({line:{id:e,updatedAt:t}}){let n=Is({line:e}),o=Y(t);return C(()=>{o.current!==t&&n.reload(),o.current=t},[t]),r`<${Ms} of=${{line:e}} latest=${n} />`}function pc({line:e}){let[t,n]=g(""),[o,a]=g(!1),i=t||qr(e,W()),l=Lt(i,e),c=Te(e.whatsapp,e.country),m=Ns(e.telegram),d=m?s("line.telegram-to",{name:"@"+m}):s("line.telegram"),p={target:"_blank",rel:"noopener noreferrer"};return r`<section class="panel sending">
    <h2>${s("line.access")}</h2>
    <fieldset class="choice few short"><legend class="hush">${s("line.message")}</legend>
      ${yt.map(u=>r`<label key=${u}><input type="radio" name="message" value=${u} checked=${u===i} onChange=${()=>n(u)} /><span>${s("messages."+u)}</span></label>`)}
    </fieldset>
    <p class="bubble text" translate=${!1} data-message=${i}>${l}</p>
    <div class="buttons">
      <a class="button send" href=${qe(c,l)} ...${p}><${f} name="message-circle" />${c?r`<span><span class="wide-only">${s("line.send-by")} </span>WhatsApp ${Dt(c)}</span>`:s("line.whatsapp")}</a>
      <${Rt} text=${l} label=${s("line.copy")} look="button only" />
      <a class="button only" href=${Bs(m,l)} ...${p} aria-label=${d} title=${d}><${f} name="send" /></a>
      <button type="button" class="button only" aria-label=${s("line.qr")} title=${s("line.qr")} aria-haspopup="dialog" onClick=${()=>a(!0)}><${f} name="qr-code" /></button>
    </div>
    ${e.whatsapp&&!c&&r`<p class="quiet">${s("line.whatsapp-unsure",{number:e.whatsapp})}</p>`}
    ${o&&r`<${Da} text=${l} onClose=${()=>a(!1)} />`}
  </section>`}function uc({line:e,payer:t}){let n=e.owner===h().id?null:t?.username||s("reseller.by-id",{id:e.owner});return r`<section class="panel">
      <h2>${s("line.title")}</h2>
      <${X} of=${[[s("username"),r`<span class="copied"><code translate=${!1} data-username>${e.username}</code><${Rt} text=${e.username} label=${s("line.copy-name")} /></span>`],[s("password"),r`<${fc} of=${e.password} />`],[s("whatsapp"),e.whatsapp],[s("telegram"),e.telegram],[s("email"),e.email],[s("country"),$s(e.country)],[s("plan"),e.plan&&r`<${$c} line=${e} />`],[s("line.since"),ms(e.createdAt)],[s("line.owner"),n&&(Q.seeResellers()?r`<${_} to=${"/resellers/"+e.owner}>${n}<//>`:n)],[s("notes"),e.notes&&r`<span class="text">${e.notes}</span>`],[s("line.external-id"),e.external_id]]} />
      <details><summary>${s("line.more")}</summary>
        <${X} of=${[[s("line.platform"),e.idPlatform],[s("line.id"),e.id],[s("changed"),A(e.updatedAt)]]} /></details>
    </section>
    ${e.metadata&&r`<section class="panel members">
      <h2>${s("line.metadata")}</h2>
      <${X} of=${Object.entries(e.metadata).map(([o,a])=>[r`<span class="name" translate=${!1}>${o.split(/(?<=_)/).map(i=>r`${i}<wbr />`)}</span>`,r`<span class="text" translate=${!1}>${a||"—"}</span>`])} />
    </section>`}`}function $c({line:{owner:e,plan:t,connections:n}}){let o=Le(e).prices?.find(a=>a.plan===t);return r`<span>${[o?It(o):"#"+t,Nn(n)].filter(Boolean).join(", ")}</span>`}function fc({of:e}){let[t,n]=g(!1),o=s("password.show");return e===null?r`<span class="quiet">${s("line.password-hidden")}</span>`:r`<span class="copied"><code translate=${!1} data-password>${t?e:"••••••"}</code>
    <button type="button" class="button ghost only" aria-label=${o} title=${o} aria-pressed=${t} onClick=${()=>n(!t)}><${f} name="eye" /></button>
    <${Rt} text=${e} label=${s("line.copy-password")} /></span>`}function Aa({line:e,payer:t,changed:n}){let o=()=>x();return r`<${Ds} line=${e} onClose=${o}>
    <${e.isTrial?Gn:Wn} line=${e} payer=${t} onClose=${o} then=${(a,i)=>{n(a),x(P(s(e.isTrial?"line.activated":"line.extended",{name:a.username,until:A(a.expDate)}),{payer:e.owner,key:i}))}} />
  <//>`}function hc({line:e,payer:t,changed:n}){let o=()=>x();return r`<${Ds} line=${e} title="line.change-plan-title" onClose=${o}>
    <${Mr} line=${e} payer=${t} onClose=${o} then=${({credits:a,...i},l)=>{n({...e,...i}),x(P(s("line.plan-changed",{name:e.username}),{payer:e.owner,key:l}))}} />
  <//>`}var bc=e=>Object.entries(e||{}).map(([t,n])=>`${t}: ${n.replaceAll(`
`,`
  `)}`).join(`
`);function gc(e){let t=new Map,n="",o="";for(let a of e.split(`
`))if(t.size&&a.startsWith("  "))t.set(n,t.get(n)+`
`+a.slice(2));else if(a.trim()){let[,i="",l=""]=a.match(/^ *([a-z0-9_]{1,40}) *:(.*)/s)||[];(!i||t.has(i))&&(o||=s("line.metadata.row",{row:a})),t.set(n=i,l)}return{metadata:t.size?Object.fromEntries(t):null,wrong:o}}function wc({line:e,changed:t}){let[n]=g(e),o=s("line.edit-title",{name:e.username}),a={username:n.username,password:n.password||"",country:n.country,whatsapp:n.whatsapp||"",telegram:n.telegram||"",email:n.email||"",notes:n.notes||"",external_id:n.external_id||"",metadata:bc(n.metadata||null)},i=R({name:"edit "+e.id,method:"PATCH",path:`/lines/${e.id}/details`,title:o,fields:a}),{answer:l,fields:c}=i,{metadata:m,wrong:d}=gc(c.metadata),[p,u]=g(i.restored);D(i,()=>{t(l),x(P(s("line.edited",{name:l.username})))});let $=()=>{let b=k=>({...jt(k),username:ke(k.username),password:k.password,external_id:k.external_id.trim()||null}),y=b(a),v=Object.fromEntries(Object.entries(b(c)).filter(([k,O])=>O!==y[k]));if(c.metadata!==a.metadata&&(v.metadata=m),Object.keys(v).length)return i.send(v);i.cancel(),x()};return r`<${pe} title=${o} onClose=${()=>x()}>
    <${z} form=${i} submit=${s("save")} unclear=${!!d} onClose=${()=>x()} onSubmit=${$}>
      ${!n.isTrial&&r`<fieldset class="group"><legend>${s("messages.access")}</legend><${Ps} form=${i} required=${n.password!==null} /></fieldset>`}
      <fieldset class="group"><legend>${s("line.contact")}</legend><${ct} form=${i} /></fieldset>
      <${hs} title=${s("line.more")} form=${i} names=${["external_id","metadata"]} open=${!!d}>
        <${q} form=${i} name="external_id" label=${s("line.external-id")} hint=${s("line.external-id.hint")} maxlength="64" />
        <${q} form=${i} name="metadata" label=${s("line.metadata")} hint=${s("line.metadata.hint")} wrong=${p&&d} kind="textarea"
          rows=${Math.min(c.metadata.split(`
`).length+3,21)} onBlur=${()=>u(!0)} />
      <//>
    <//>
  <//>`}var Ia=({line:{suspension_reason:e}})=>e&&r`<${X} of=${[[s("reason"),r`<span class="text">${e}</span>`]]} />`,dn=({id:e,username:t},n,o="")=>({name:`${n}${o} ${e}`,method:n==="suspend"?"PUT":"DELETE",path:`/lines/${e}/suspension`,title:s(`line.${n}-title`,{name:t})});function Ma(e,t){let n=e.username,o=t==="suspend"?"resume":"suspend";return e.suspended&&t==="suspend"?P(s("line.edited",{name:n})):P(s(`line.${t}-done`,{name:n}),{undo:{...dn(e,o," again"),body:o==="suspend"?{reason:e.suspension_reason||""}:void 0,said:s(`line.${o}-done`,{name:n})}})}function yc({line:e,changed:t,act:n}){let o=e.suspended?"resume":"suspend",a=R({...dn(e,o," now"),fields:{}});return n.current=()=>a.send(o==="suspend"?{}:void 0),D(a,()=>{re(Ma(e,o)),t(a.answer)}),a.state==="unknown"?r`<${ge} form=${a} />`:a.state==="refused"&&a.problem&&r`<${N} problem=${a.problem} />`}function vc({line:e,changed:t}){let n=R({...dn(e,"suspend"),fields:{reason:e.suspension_reason||""}});return r`<${ja} form=${n} line=${e} changed=${t} does="suspend"><p>${s("line.suspended-means")}</p><${sn} form=${n} name=${e.username} /><//>`}function kc({line:e,changed:t}){let n=R({...dn(e,"resume"),fields:{}});return r`<${ja} form=${n} line=${e} changed=${t} does="resume"><p>${s("line.resume-meaning")}</p><${Ia} line=${e} /><//>`}function ja({form:e,line:t,changed:n,does:o,children:a}){let[i]=g(t);return D(e,()=>{n(e.answer),x(Ma(i,o))}),r`<${pe} title=${s(`line.${o}-title`,{name:t.username})} onClose=${()=>x()}>
    <${z} form=${e} danger=${o==="suspend"} submit=${s("line."+o)} onSubmit=${()=>e.send(o==="suspend"?e.fields:void 0)} onClose=${()=>x()}>${a}<//>
  <//>`}function xc({line:e}){let t=s("line.delete-title",{name:e.username}),n=R({name:"delete "+e.id,method:"DELETE",path:"/lines/"+e.id,title:t,fields:{typed:""},secret:["typed"]});return D(n,()=>qt("/lines",P(s("line.deleted",{name:e.username})))),r`<${pe} look="dialog" title=${t} onClose=${()=>x()}>
    <${z} form=${n} danger submit=${s("line.delete")} ready=${ke(n.fields.typed)===e.username} onSubmit=${()=>n.send()} onClose=${()=>x()}>
      <p>${s("line.delete-meaning")}</p>
      <${q} form=${n} name="typed" label=${s("line.delete-type",{name:e.username})} autofocus required />
    <//>
  <//>`}var uo=["running","expired","suspended","owner_blocked"],Sc=["newest","expiry","latest_expiry","username"],Na=["q","username","mine","owner","tree","show","status","when"],St={soon:["expiring_7d",{when:"soon",show:"official",status:""}],past:["expired_14d",{when:"past",show:"official",status:""}],running:["running",{when:"",show:"official",status:"running"}],trials:["trials",{when:"",show:"trials",status:"running"}]},Ba=e=>e.get("days")?"":Object.keys(St).find(t=>Object.entries(St[t][1]).every(([n,o])=>(n==="status"?Gt(e):e.get(n)||"")===o))||"",pn=e=>Number(/^([1-9]|1[0-4])$/.exec(e.get("days")||"")?.[0]||7),Gt=e=>uo.find((t,n)=>[t,String(1-n)].includes(e.get("status")||""))||"";function za(e,t,n){let o=e.get("when"),a=e.get("show"),i=Gt(e),l=c=>new Date(t+c*864e5).toISOString();return{q:e.get("q"),username:e.get("username"),owner:e.get("mine")?n:e.get("owner"),tree:e.get("tree"),isTrial:a==="trials"?"1":a==="official"?"0":void 0,effective:i||(o==="soon"?"running":o==="past"?"expired":void 0),expires_after:o==="soon"?l(0):o==="past"?l(-14):void 0,expires_before:o==="soon"?l(pn(e)):o==="past"&&i&&i!=="expired"?l(0):void 0}}function $o(e){let t=e.get("when"),n=Gt(e);return t==="past"||n==="expired"?"latest_expiry":t==="soon"||n?"expiry":"newest"}var fo=e=>Sc.find(t=>t===e.get("sort"))||$o(e);function Ua(e,t){let n=fo(e);return n===(t.effective||t.expires_after||t.expires_before?"expiry":"id")?void 0:n}function Ha(e,t,n){let o=e.get("mine")?String(t):e.get("owner");return o?{account:o}:{tree:e.get("tree")||(n?String(t):void 0)}}function Wa(e){let t=i=>e.get(i)||"",n=Gt(e),o=t("show"),a=t("when");return[{name:"q",key:t("q")&&"filter.text",values:{text:t("q")}},{name:"username",key:t("username")&&"filter.begins",values:{text:t("username")}},{name:"status",key:n&&"filter."+n},{name:"show",key:/^(trials|official)$/.test(o)?"filter."+o:""},{name:"when",key:/^(soon|past)$/.test(a)?"filter.says-"+a:"",values:{n:pn(e)}},{name:"mine",key:t("mine")&&"filter.mine"},...["owner","tree"].map(i=>({name:i,key:t(i)&&"reseller.by-id",values:{id:t(i)}}))].filter(({key:i})=>i)}var Ga=({name:e,label:t,value:n,of:o,choose:a,always:i})=>r`<p class="menu-head">${t}</p>
  ${[...i?[]:[["",s("filter.any")]],...o].map(([l,c])=>r`<button key=${l} type="button" aria-pressed=${n===l} data-filter=${e} data-value=${l} onClick=${()=>a(l)}>
    <${f} name=${n===l?"check":""} />${c}</button>`)}`;function Ka(e){let{name:t,label:n,value:o,of:a,choose:i}=e,l=a.find(([c])=>c===o)?.[1];return r`<span class="filter-of" data-of=${t}>
    <${he} label=${l?`${n}: ${l}`:n} look=${l?"filter is-set":"filter"} face=${r`${l?r`<span class="what">${n}:</span> ${l}`:n}${!l&&r`<${f} name="chevron-down" />`}`}><${Ga} ...${e} /><//>
    ${l&&r`<button type="button" class="filter-x" aria-label=${s("filter.remove",{filter:l})} onClick=${()=>i("")}><${f} name="x" /></button>`}
  </span>`}var un=({of:e,children:t})=>r`<span class="filters-all"><${he} label=${s("filter.more")} look="chip" face=${r`<${f} name="list-filter" />${s("filter.more")}`}>
  ${e.map(n=>r`<${Ga} key=${n.name} ...${n} />`)}${t}<//></span>`;var Cc=e=>Wa(e).map(({name:t,key:n,values:o})=>({name:t,text:s(n,o)})),_c={...Object.fromEntries(Na.map(e=>[e,""])),days:"",sort:""};function Ja(){let{query:e}=j.use(),[t,n]=g(!1),o=e.get("do")||"",a=Ae("picked"),i=za(e,e.get("when")?jo():0,h().id),l=JSON.stringify(i),c=Qn().length>0,m=!!ns(l)||t,d=Cc(e);if(Object.hasOwn(vt,o)&&a&&w(vt[o]))return r`<${Ls} key=${o} action=${o} picked=${a} said=${d.map(({text:T})=>T)} />`;let p={...i,sort:Ua(e,i)},u=fo(e),$=$o(e),b=T=>de({sort:T===$?"":T}),y=T=>T.map(H=>[H,s("filter."+H)]),v=[{name:"status",label:s("filter.status"),value:Gt(e),of:y(uo)},{name:"show",label:s("filter.show"),value:e.get("show")||"",of:y(["official","trials"])},{name:"when",label:s("filter.when"),value:e.get("when")||"",of:[["soon",s("filter.soon",{n:pn(e)})],["past",s("filter.past")]]},...Q.haveBelow()?[{name:"mine",label:s("filter.whose"),value:e.get("mine")||"",of:[["1",s("filter.mine")]]}]:[],{name:"sort",label:s("sort"),value:u,always:!0,of:[$,...["newest","expiry","latest_expiry","username"].filter(T=>T!==$)].map(T=>[T,s("sort."+T)])}].map(T=>({...T,choose:H=>T.name==="sort"?b(H):de({[T.name]:H,...T.name==="when"&&{days:""}})})),k=d.filter(({name:T})=>!v.some(H=>H.name===T&&H.value)),O=r`<tr>
    ${c&&r`<th class="pick"><${zr} filter=${l} /></th>`}
    <${$n} name="name" label=${s("customer")} orders=${[["username","ascending"]]} order=${u} choose=${b} />
    <th class="st">${s("filter.status")}</th>
    <${$n} name="expiry" label=${s("filter.when")} orders=${[["expiry","ascending"],["latest_expiry","descending"]]} order=${u} choose=${b} />
    <th class="phone">${s("whatsapp")}</th><th class="notes">${s("notes")}</th><th class="does"><span class="hush">${s("actions")}</span></th></tr>`,L=()=>{tt.set(null),n(!1)};return r`<${U} title=${s("nav.lines")} actions=${r`<${As} query=${p} />
      ${c&&r`<button type="button" class="button ghost only thumb" aria-label=${s("select.some")} title=${s("select.some")} aria-pressed=${m} onClick=${()=>m?L():n(!0)}><${f} name="square-check" /></button>`}
      ${w("lines:write")&&r`<${zt} plain=${m} />`}`}>
    <div class=${m?"customers-of is-picking":"customers-of"}>
      <nav class="tabs" aria-label=${s("chips")}><${un} of=${v}><hr /><${As} query=${p} look="" /><//><${Oc} query=${e} /></nav>
      ${m?r`<${Ur} filter=${l} query=${i} listed=${p} leave=${L} />`:r`<div class="list-bar">${v.map(T=>T.name!=="sort"&&r`<${Ka} key=${T.name} ...${T} />`)}
          ${k.map(({name:T,text:H})=>r`<button key=${T} type="button" class="chip is-on" aria-label=${s("filter.remove",{filter:H})} onClick=${()=>de({[T]:""})}>${H}<${f} name="x" /></button>`)}
          ${d.length>0&&r`<button type="button" class="button link" onClick=${()=>de(_c)}>${s("filter.clear")}</button>`}</div>`}
      <${Ke} path="/lines" query=${p} label=${s("nav.lines")} head=${O} look="customers" count=${Fe} empty=${d.length?s("lines.none-such"):s("lines.none")}
        row=${T=>zs(T,c?l:void 0)} />
    </div>
  <//>`}function $n({name:e,label:t,orders:n,order:o,choose:a}){let i=n.findIndex(([c])=>c===o),l=n[i]?.[1];return r`<th class=${e} scope="col" aria-sort=${l}><button type="button" class="sort" onClick=${()=>a(n[(i+1)%n.length][0])}>${t}<${f} name=${l?l==="ascending"?"arrow-up":"arrow-down":"chevrons-up-down"} /></button></th>`}function Oc({query:e}){let t=Nt.use(),n=M("/reports/summary",{days:1,...Ha(e,h().id,Q.haveBelow())}),[o]=g(t);C(()=>{t!==o&&n.reload()},[t]);let a=n.value?.lines,i=Ba(e),l=!["status","show","when"].some(m=>e.get(m)),c=(m,d,p,u)=>r`<a key=${m} href=${rt("/lines?"+new URLSearchParams(p))} aria-current=${d?"page":void 0} data-tab=${m}
    onClick=${$=>{$.preventDefault(),de({...p,days:""})}}>${s("tabs."+m)}${u!==void 0&&r` <b>${F(u)}${a?.capped?"+":""}</b>`}</a>`;return r`${c("all",l,{status:"",show:"",when:""},void 0)}
    ${Object.entries(St).map(([m,[d,p]])=>c(m,m===i,p,a?.[d]))}`}var Qa=["whatsapp","telegram"];function Va(){let e=M(`/users/${h().id}/messages`),[t,n]=g(0),o=a=>{e.set(a),Fr(a),n(t+1),re(P(s("messages.saved")))};return r`<${U} title=${s("nav.messages")}>
    <p>${s(h().is_admin?"messages.meaning-top":"messages.meaning")}</p>
    <${G} of=${e}>${a=>w("users:write")?r`<${qc} key=${t} messages=${a} saved=${o} />`:r`<${Tc} messages=${a} />`}<//>
  <//>`}var Ya=e=>{let t={access:30,reminder:3,expired:-1,welcome:30}[e]||30;return{username:"maria.tv",password:"7Kd92x",expDate:new Date(W()+t*864e5).toISOString()}},Za=({text:e})=>r`<p class="bubble text" translate=${!1} data-message>${e}</p>`,Tc=({messages:e})=>r`
  <section class="panel"><h2>${s("messages.where")}</h2>
    <${X} of=${["server","apps"].map(t=>[s("messages."+t),r`<span class="text">${et(t,e)||s("messages.none")}</span>`])} />
  </section>
  <div class="panels">${yt.map(t=>r`<section class="panel" key=${t}><h2>${s("messages."+t)}</h2>
    <${Za} text=${Os(et(t,e),Ya(t),e)} /></section>`)}</div>`;function qc({messages:e,saved:t}){let n=["server","apps",...yt,...Qa],o=Object.fromEntries(n.map(m=>[m,Qa.includes(m)?"":e.inherited[m]||(yt.includes(m)?s("message.default."+m):"")])),a=R({name:"messages",method:"PUT",path:`/users/${h().id}/messages`,title:s("nav.messages"),fields:Object.fromEntries(n.map(m=>[m,e[m]||o[m]]))}),{fields:i}=a;D(a,()=>t(a.answer));let l=Object.fromEntries(n.map(m=>{let d=(m==="server"?i[m].replace(/\s+/g," "):i[m]).trim();return[m,d===o[m].trim()?null:d||null]})),c={...l,inherited:e.inherited};return r`<${z} form=${a} submit=${s("save")} onSubmit=${()=>a.send(l)}>
    <section class="panel"><h2>${s("messages.where")}</h2>
      <${ho} form=${a} name="server" above=${o.server} hint=${s("messages.server.hint")} kind="textarea" rows="1" inputmode="url" maxlength="254" />
      <${ho} form=${a} name="apps" above=${o.apps} hint=${s("messages.apps.hint")} kind="textarea" rows="3" maxlength="1000" />
    </section>
    ${yt.map(m=>r`<section class="panel template" key=${m}>
      <div>
        <${ho} form=${a} name=${m} above=${o[m]}
          standard=${!e.inherited[m]} kind="textarea" rows="8" maxlength="2000" autocapitalize="sentences" />
        <div class="inserts" role="group" aria-label=${s("messages.insert")}>${Ln.map(d=>r`<button type="button" class="button" key=${d} disabled=${a.frozen}
          onClick=${p=>Fc(a,m,`{${d}}`,p.currentTarget)}><${f} name="plus" />${s("messages.put."+d)}</button>`)}</div>
      </div>
      <div><p class="quiet">${s("messages.preview")}</p><${Za} text=${Os(et(m,c),Ya(m),c)} /></div>
    </section>`)}
    ${Q.haveBelow()&&r`<section class="panel"><h2>${s("messages.reach")}</h2><p>${s("messages.reach.meaning")}</p>
      <${q} form=${a} name="whatsapp" label=${s("whatsapp")} hint=${s("whatsapp.hint")} type="tel" inputmode="tel" maxlength="64" />
      <${q} form=${a} name="telegram" label=${s("telegram")} hint=${s("messages.telegram.hint")} maxlength="64" />
    </section>`}
  <//>`}var ho=({form:e,name:t,above:n,standard:o=!1,...a})=>r`
  <${q} form=${e} name=${t} label=${s("messages."+t)} placeholder=${n} ...${a} />
  ${!!n&&(e.fields[t].trim()!==n.trim()?r`<button type="button" class="button link" disabled=${e.frozen} onClick=${()=>e.set({[t]:n})}><${f} name="rotate-cw" />${s(o?"messages.use-standard":"messages.use-above")}</button>`:r`<p class="from"><span class="badge">${s(o?"messages.is-standard":"messages.is-above")}</span></p>`)}`;function Fc(e,t,n,o){let a=o.closest(".template")?.querySelector("textarea"),{value:i,selectionStart:l,selectionEnd:c}=a;e.set({[t]:i.slice(0,l)+n+i.slice(c)}),setTimeout(()=>{a.focus(),a.setSelectionRange(l+n.length,l+n.length)})}var Ec=1e3,Rc=25e3,Xa=10,fn=e=>e?.find(({event:t})=>t.startsWith("test_")),Pc=e=>e.replace(/.*_/,""),ei=({error:e,cause:t})=>$e("delivery.tls."+t)?s("delivery.tls."+t):$e("delivery.why."+e)?s("delivery.why."+e):e,ti=({of:{answer:e}})=>e&&r`<span class="text">${s("delivery.answer")} <bdi>${e}</bdi></span>`;function si(e,t){let n=M(`/webhooks/${e}/deliveries`),[o,a]=g(null);C(()=>{if(!t||!o||o.over)return;let l=new AbortController;return i(l.signal),()=>l.abort()},[t,o]);let i=async l=>{for(let c=Date.now()+Rc;Date.now()<c;){if(await lt(l,Ec),await gt(l),l.aborted)return;try{let m=await K("GET",`/webhooks/${e}/deliveries`,{signal:l});if(n.set(m),o?.test&&fn(m.data)?.event!==o.before)break}catch{}}l.aborted||a(c=>c&&{...c,over:!0})};return{...n,test:o?.test&&fn(n.value?.data)?.event!==o.before?fn(n.value?.data):void 0,watched:o,watch:(l=!1)=>a({test:l,before:fn(n.value?.data)?.event,over:!1})}}function ni({of:{test:e,watched:t}}){return t?.test?e?e.error?r`<${ee} tone="bad"><p>${s("webhook.test-failed",{why:ei(e)})} <${ti} of=${e} /></p><//>`:r`<${ee} tone="good"><p>${s("webhook.test-arrived",{status:e.http_status,ms:F(e.duration_ms)})}</p><//>`:r`<${ee} tone=${t.over?"unsure":"plain"}><p>${s(t.over?"webhook.test-late":"webhook.test-sent")}</p><//>`:null}function oi({of:e,enabled:t,refresh:n}){let[o,a]=g(!1);return r`<section class="panel"><h2>${s("delivery.attempts")}</h2>
    <${G} of=${e}>${({data:i})=>r`
      ${i.length?r`<ul class="rows">${i.slice(0,o?i.length:Xa).map(l=>r`<li key=${l.event+l.attempt+l.at}>
        <${Ac} of=${l} goesOn=${t&&i.find(({event:c})=>c===l.event)===l} /></li>`)}</ul>`:r`<p class="quiet">${s("delivery.none")}</p>`}
      <div class="buttons">
        ${i.length>Xa&&!o&&r`<button type="button" class="button" onClick=${()=>a(!0)}>${s("home.all")}</button>`}
        <button type="button" class="button" disabled=${e.loading} onClick=${n}><${f} name="rotate-cw" />${s("list.refresh")}</button>
      </div>`}<//>
  </section>`}var Dc=e=>e&&Date.parse(e)>W()&&(Date.parse(e)<W()+6e4?s("delivery.soon"):s("delivery.next",{at:ps(e)}));function Ac({of:e,goesOn:t}){let n=[e.http_status&&s("delivery.status",{status:e.http_status}),F(e.duration_ms)+" ms",e.attempt>1&&s("delivery.attempt",{n:e.attempt}),t&&Dc(e.next_attempt_at)];return r`<div class="row delivery">
    <span class="name">${s(e.event.startsWith("test_")?"delivery.test":"delivery.entry",{n:Pc(e.event)})}</span>
    <${Ue} good=${!e.error}>${s(e.error?"delivery.failed":"delivery.arrived")}<//>
    ${e.error&&r`<span>${ei(e)}</span>`}
    <${ti} of=${e} />
    <span class="quiet"><time datetime=${e.at}>${A(e.at)}</time>${n.filter(Boolean).map(o=>" · "+o)}</span>
  </div>`}function ai({id:e}){let{query:t}=j.use(),n=We(`/webhooks/${e}`);return Ht(),r`<${U} title=${n.value?Ut(n.value):s("nav.webhooks")} up="/webhooks">
    <${G} of=${n}>${o=>r`<${Lc} webhook=${o} doing=${t.get("do")||""} changed=${n.set} reload=${n.reload} />`}<//>
  <//>`}function Lc({webhook:e,doing:t,changed:n,reload:o}){let[a,i]=g(0),l={edit:Mc,enable:!e.enabled&&ri,disable:e.enabled&&ri,rotate:Nc,replay:e.enabled&&Uc,delete:Hc},c=Object.hasOwn(l,t)&&l[t],m=si(e.id,!c);if(c)return r`<${c} key=${t} webhook=${e} changed=${n} sent=${m.watch} />`;let d=(u,$,b="")=>r`<button type="button" class=${"button "+b} onClick=${()=>Z(u)}>${s($)}</button>`,p=()=>{m.watch(!0),i(a+1)};return r`
    <${tn} of=${"webhook "+e.id} title=${s("webhook.secret")} meaning=${s("webhook.secret-once")} copy=${s("webhook.secret-copy")} />
    <p class="glance"><${Ks} webhook=${e} /></p>
    ${!e.enabled&&r`<${ee} tone="unsure"><p><strong>${xt(e)[0]}</strong></p><p>${xt(e)[1]} ${s("webhook.meanwhile")}</p><//>`}
    <div class="buttons">
      ${e.enabled?r`<${Ic} key=${a} webhook=${e} ready=${!!m.value} sent=${p} />`:d("enable","webhook.enable","primary")}
      ${d("edit","line.edit")}${d("rotate","webhook.rotate")}
      ${e.enabled&&r`${d("replay","webhook.replay")}${d("disable","webhook.disable")}`}
      ${d("delete","line.delete","danger-plain")}
    </div>
    <div aria-live="polite">${e.enabled&&r`<${ni} of=${m} />`}</div>
    <section class="panel">
      <h2>${s("line.record")}</h2>
      <${X} of=${[[s("webhook.url"),e.url],[s("webhook.types"),Ws(e)],[s("filter.whose"),Gs(e)],[s("webhook.description"),e.description&&r`<span class="text">${e.description}</span>`],[s("line.id"),e.id],[s("created"),A(e.created_at)]]} />
    </section>
    <${oi} of=${m} enabled=${e.enabled} refresh=${()=>{m.reload(),o()}} />`}function Ic({webhook:e,ready:t,sent:n}){let o=R({name:"test "+e.id,method:"POST",path:`/webhooks/${e.id}/test`,title:Kt("webhook.test",e),fields:{}}),{state:a,problem:i}=o;return D(o,n),r`<div class=${a==="unknown"||i?"wide":""} data-form=${a}>
    ${a==="unknown"?r`<${ge} form=${o} />`:r`<button type="button" class="button primary" disabled=${o.frozen||!t} onClick=${()=>o.send({})}>${s(a==="sending"?"form.sending":"webhook.test")}</button>`}
    ${a==="refused"&&i&&r`<${N} problem=${i} />`}
  </div>`}var Kt=(e,t)=>`${s(e)}: ${Ut(t)}`;function Mc({webhook:e,changed:t}){let n=Kt("line.edit",e),o=R({name:"edit webhook "+e.id,method:"PATCH",path:"/webhooks/"+e.id,title:n,fields:Js(e)});return D(o,()=>{t(o.answer),x(P(s("webhook.edited")))}),r`<section class="panel"><h2>${n}</h2>
    <${z} form=${o} submit=${s("save")} ready=${Vs(o.fields)} onSubmit=${()=>o.send(Qs(o.fields))} onClose=${()=>x()}>
      <${Ys} form=${o} />
    <//>
  </section>`}function ri({webhook:e,changed:t,sent:n}){let o=e.enabled?"webhook.disable":"webhook.enable",a=Kt(o,e);return r`<${pt} name=${`${o} ${e.id}`} method="PATCH" path=${"/webhooks/"+e.id} title=${a} meaning=${s(o+"-meaning")} submit=${s(o)}
    body=${{enabled:!e.enabled}} then=${i=>{x(P(s(o+"-done"))),t(i),e.enabled||n()}} />`}var jc=[24,72,168,0];function Nc({webhook:e}){let t=Kt("webhook.rotate",e),n=R({name:"rotate "+e.id,method:"POST",path:`/webhooks/${e.id}/rotate`,title:t,place:`/webhooks/${e.id}?do=rotate`,fields:{overlap_hours:24}});return D(n,()=>{let{secret:o,previous_expires_at:a}=n.answer;Re.set({of:"webhook "+e.id,secret:o}),x(P(a?s("webhook.rotated-until",{at:A(a)}):s("webhook.rotated")))}),r`<section class="panel"><h2>${t}</h2>
    <${z} form=${n} submit=${s("webhook.rotate")} onSubmit=${()=>n.send(n.fields)} onClose=${()=>x()}>
      <p>${s("webhook.rotate-meaning")}</p>
      <${Ge} form=${n} name="overlap_hours" label=${s("webhook.overlap")} of=${jc.map(o=>[o,o?s("period.day",{n:o/24}):s("webhook.overlap-none")])} />
    <//>
  </section>`}var Bc=36e5;async function zc(e,{hours:t,...n},o){let a=new Date(W()-t*Bc).toISOString(),i=0,l=0,c="",m="";for(let d=0;m!==null&&d<cs;d++){let{data:p,next_cursor:u}=await K("GET",e,{query:{...n,order:"desc",limit:500,cursor:m},signal:o}),$=p.filter(b=>b.timestamp>=a);i+=$.length,$.length&&({seq:l,timestamp:c}=$[$.length-1]),m=$.length<p.length?null:u}return{n:i,seq:l,at:c}}function Uc({webhook:e,sent:t}){let n=Kt("webhook.replay",e),o=R({name:"replay "+e.id,method:"POST",path:`/webhooks/${e.id}/replay`,title:n,fields:{from:"1",number:""}}),{from:a,number:i}=o.fields,l=a==="entry",c=M(l?null:"/events",{hours:a,type:e.types.includes("*")?[]:e.types,account:e.scope==="own"?h().id:""},zc),m=l?/^[1-9]\d{0,14}$/.test(Ye(i))&&Number(Ye(i)):c.value?.seq;return D(o,()=>{x(P(s("webhook.replayed"))),t()}),r`<section class="panel"><h2>${n}</h2>
    <${z} form=${o} submit=${s("webhook.replay")} ready=${!!m} onSubmit=${()=>o.send({after_seq:Number(m)-1})} onClose=${()=>x()}>
      <p>${s("webhook.replay-meaning")}</p>
      <${Ge} form=${o} name="from" label=${s("webhook.replay-from")} of=${["1","24","168","entry"].map(d=>[d,s("webhook.replay."+d)])} />
      ${l?r`<${q} form=${o} name="number" label=${s("webhook.replay-number")} hint=${s("webhook.replay-hint")} inputmode="numeric" maxlength="15" required />`:r`<${G} of=${c}>${({n:d,at:p})=>r`<p role="status">${d?s("webhook.replay-count",{n:d,at:A(p)}):s("webhook.replay-nothing")}</p>`}<//>`}
    <//>
  </section>`}var Hc=({webhook:e})=>r`<${pt} name=${"delete webhook "+e.id} method="DELETE" path=${"/webhooks/"+e.id} title=${Kt("line.delete",e)}
  meaning=${s("webhook.delete-meaning")} submit=${s("line.delete")} danger then=${()=>qt("/webhooks",P(s("webhook.deleted",{host:Ut(e)})))} />`;var Wc=20,ii=()=>h().is_admin&&w("prices:write")?r`<${Kc} />`:r`<${Gc} />`;function Gc(){let e=M("/prices");return r`<${U} title=${s("nav.prices")}>
    <${G} of=${e}>${({prices:t})=>r`<section class="panel">
      <${X} of=${t.map(n=>[It(n),r`<${fe} of=${n.credits} />`])} /></section>`}<//>
  <//>`}function Kc(){let{query:e}=j.use(),t=Number(/^[1-9]\d*$/.exec(e.get("of")||"")?.[0]||0),n=e.get("do"),o=t?`/users/${t}/prices`:"/prices/book",a=M("/plans",{all:!0}),i=M(o),l=M(o+"/history",{limit:Wc}),[c,m]=g(0),d=a.value?.data.find($=>"plan-"+$.id===n),p=()=>{m(c+1),Ar(),[a,i,l].forEach($=>$.reload())},u={...a,value:a.value&&i.value&&l.value&&!0,problem:a.problem||i.problem||l.problem,reload:p};return r`<${U} title=${s("nav.prices")} actions=${r`<button type="button" class="button" onClick=${()=>Z("plan")}><${f} name="plus" />${s("plan.new")}</button>`}>
    <${G} of=${u}>${()=>r`<nav class="tabs" aria-label=${s("prices.books")}><${bo} of=${0} at=${t} />
      ${i.value.reach.other_books.map($=>r`<${bo} key=${$} of=${$} at=${t} />`)}
      ${!!t&&!i.value.reach.other_books.includes(t)&&r`<${bo} of=${t} at=${t} />`}
      <a href=${rt("/prices?do=book")} onClick=${$=>{$.preventDefault(),Z("book")}}><${f} name="plus" />${s("prices.another")}</a></nav>
      <${Qc} key=${t+" "+c} of=${t} path=${o} plans=${a.value?.data||[]} book=${i.value} past=${l.value.data} reload=${p} />`}<//>
    ${n==="plan"&&r`<${am} sort=${Math.max(0,...(a.value?.data||[]).map($=>$.sort))+1} then=${p} />`}
    ${d&&r`<${im} key=${d.id} plan=${d} then=${p} />`}
    ${n==="book"&&r`<${Jc} />`}
  <//>`}function Jc(){let[e,t]=g(""),n=M("/users",{q:ke(e),limit:8});return r`<${pe} title=${s("prices.another")} onClose=${()=>x()}>
    <label class="search"><${f} name="search" /><input type="search" value=${e} autofocus onInput=${o=>t(o.target.value)} aria-label=${s("prices.find")} placeholder=${s("prices.find")} autocapitalize="none" autocomplete="off" spellcheck=${!1} maxlength="64" /></label>
    <div class="finds"><${G} of=${n}>${({data:o})=>r`<ul class="rows">${o.filter(a=>!a.is_admin).map(a=>r`<li key=${a.id}><${_} class="row" to=${"/prices?of="+a.id} translate=${!1}>${a.username}<//></li>`)}</ul>`}<//></div>
  <//>`}function bo({of:e,at:t}){let n=Oe(e||h().id);return r`<${_} to=${e?"/prices?of="+e:"/prices"} aria-current=${e===t?"page":void 0}>
    ${e?r`<span translate=${!1}>${n||s("reseller.by-id",{id:e})}</span>`:s("prices.platform")}<//>`}function Qc({of:e,path:t,plans:n,book:o,past:a,reload:i}){let l=new Map(o.rows.map(k=>[k.plan,k.credits])),c=Oe(e||h().id),m=R({name:"prices "+e,method:"PUT",path:t,title:s("nav.prices"),fields:{when:"now",at:"",note:""}}),{fields:d,frozen:p}=m,u=n.map(k=>{let O=l.get(k.id)||"",L=d["p"+k.id];return{plan:k,was:O,...L===void 0?{amount:O,wrong:""}:ye(L)}}),$=u.filter(({was:k,amount:O,wrong:L})=>L||!hn(k,O)),b=u.some(k=>k.wrong),y=d.when==="at"?d.at&&new Date(d.at):null;D(m,()=>{re(P(s("prices.published",{when:_t(m.answer.effective_at)}))),i()});let v=()=>m.send({rows:u.filter(k=>k.amount).map(k=>({plan:k.plan.id,credits:k.amount})),effective_at:y?y.toISOString():void 0,note:d.note.trim()||null});return r`
    ${!!e&&o.inherited_from!==null&&r`<${ee}><p>${s("prices.inherited",{name:c})}</p><//>`}
    <div class="cols prices">
      <div class="stack">
        <section class="panel"><table class="table book"><thead><tr><th>${s("plan")}</th><th>${s("price.choose")}</th><th class="num con">${s("plan.connections")}</th>
          <th class="num">${s("prices.today")}</th><th class="new">${s("prices.new")}</th><th class="num diff">${s("prices.change")}</th><th class="on">${s("plan.on-sale")}</th></tr></thead>
          <tbody>${u.map(k=>r`<${Yc} key=${k.plan.id} row=${k} form=${m} reload=${i} />`)}</tbody></table></section>
        <p class="quiet small">${s("plan.immutable")}</p>
        <${nm} of=${e} path=${t} past=${a} plans=${n} reload=${i} />
      </div>
      <section class="panel publish"><h2>${$.length?s("prices.publish-n",{n:$.length,count:F($.length)}):s("prices.publish")}</h2>
        <${z} form=${m} submit=${y?s("prices.publish-at",{when:_t(y)}):s("prices.publish")} ready=${!!$.length&&!b&&(d.when==="now"||!!y)} onSubmit=${v}
          onClose=${$.length&&!p?()=>{m.restart()}:void 0}>
          <${ci} form=${m} name="when" label=${s("prices.when")} of=${["now","at"].map(k=>[k,s("prices.when."+k)])} />
          ${d.when==="at"&&r`<${q} form=${m} name="at" label=${s("prices.at")} type="datetime-local" max="9999-12-31T23:59" required hint=${Intl.DateTimeFormat().resolvedOptions().timeZone.replaceAll("_"," ")} />`}
          <p class="quiet small">${s("prices.paid")}</p>
          <${Xc} book=${o} />
          <${q} form=${m} name="note" label=${s("notes")} maxlength="500" />
        <//>
        ${!!e&&!!a[0]?.rows.length&&r`<${sm} of=${e} name=${c} reload=${i} />`}
      </section>
    </div>`}var li=({period:{count:e,unit:t}})=>`${e} ${t}${e>1?"s":""}`,go=e=>It({name:e.name,period:li(e)}),hn=(e,t)=>e&&t?B(e)===B(t):e===t;function Vc({was:e,amount:t}){if(hn(e,t))return r`<span class="quiet">${s("prices.same")}</span>`;if(!e||!t)return s(e?"prices.left-out":"prices.added");let n=B(t)>B(e),o=n?$t(t,e):$t(e,t);return r`<${f} name=${n?"arrow-up":"arrow-down"} /><span class="hush">${s(n?"prices.up":"prices.down")}</span> ${E(o)} <span class="quiet">(${us(Number((B(o)*100n+B(e)/2n)/B(e)))})</span>`}function Yc({row:{plan:e,was:t,amount:n,wrong:o},form:a,reload:i}){let l="p"+e.id,c=go(e);return r`<tr class=${o||!hn(t,n)?"is-changed":""} data-plan=${e.id}>
    <th scope="row"><button type="button" class="button link" title=${s("line.edit")} onClick=${()=>Z("plan-"+e.id)}>${c}</button>${e.packages&&r`<span class="quiet small">${Ze(e.packages)}</span>`}</th>
    <td class=${e.name===li(e)?"for named":"for"}>${s("period."+e.period.unit,{n:e.period.count})}</td><td class="num con">${F(e.connections)}</td>
    <td class="num was" translate=${!1}>${t?E(t):"—"}</td>
    <td class="new"><input class="input" name=${l} inputmode="decimal" maxlength="24" aria-label=${s("prices.new-of",{plan:c})} aria-invalid=${o?"true":void 0} value=${a.fields[l]??E(t)}
      disabled=${a.frozen} onInput=${m=>a.set({[l]:m.target.value})} /></td>
    <td class="num diff">${o||r`<${Vc} was=${t} amount=${n} />`}</td>
    <td class="on"><${Zc} plan=${e} reload=${i} /></td></tr>`}function Zc({plan:e,reload:t}){let{id:n,on_sale:o,on_sale_changes_at:a}=e,i=go(e),l=R({name:`sale ${n} ${!o}`,method:"PATCH",path:"/plans/"+n,title:i,fields:{}});return D(l,()=>{re(P(s(o?"plan.off":"plan.on",{plan:i}))),t()}),l.state==="unknown"?r`<${ge} form=${l} />`:r`<button type="button" class=${o?"switch is-on":"switch"} role="switch" aria-checked=${o} aria-label=${s("plan.sells",{plan:i})} disabled=${l.frozen||!!a} onClick=${()=>l.send({on_sale:!o})}>
    <i></i>${s(o?"yes":"no")}</button>${l.problem&&r`<${N} problem=${l.problem} />`}`}function Xc({book:{reach:{resellers:e,lines:t,capped:n,other_books:o}}}){return r`<div class="whom"><h3>${s("prices.whom")}</h3>
    <p>${s("prices.serves",{n:e,resellers:em(e,n),lines:n?s("at-least",{n:Fe(t)}):Fe(t)})}</p>
    ${!!o.length&&r`<p class="quiet">${s("prices.not-for")}</p><ul>${o.map(a=>r`<li key=${a}><${tm} id=${a} /></li>`)}</ul>`}</div>`}var em=(e,t)=>t?s("at-least",{n:F(e)}):F(e),tm=({id:e})=>r`<${_} to=${"/prices?of="+e}>${Oe(e)||s("reseller.by-id",{id:e})}<//>`;function sm({of:e,name:t,reload:n}){let o=R({name:"inherit "+e,method:"DELETE",path:`/users/${e}/prices`,title:s("prices.inherit"),fields:{}});return D(o,()=>{re(P(s("prices.inherits",{name:t}))),n()}),o.state==="unknown"?r`<${ge} form=${o} />`:r`<button type="button" class="button wide" disabled=${o.frozen} onClick=${()=>o.send()}>${s("prices.inherit")}</button>${o.problem&&r`<${N} problem=${o.problem} />`}`}function nm({of:e,path:t,past:n,plans:o,reload:a}){if(!n.length)return null;let i=new Map(o.map(c=>[c.id,go(c)])),l=n.filter(c=>Date.parse(c.effective_at||"")<=W()||!c.effective_at).reduce((c,m)=>c&&Date.parse(c.effective_at||"1970-01-01")>=Date.parse(m.effective_at||"1970-01-01")?c:m,null);return r`<section class="panel"><h2>${s("prices.versions")}</h2>
    <table class="table dense book-log"><thead><tr><th>${s("prices.version")}</th><th>${s("prices.in-force")}</th><th>${s("prices.changes")}</th><th><span class="hush">${s("actions")}</span></th></tr></thead>
    <tbody>${n.map((c,m)=>r`<tr key=${c.version} data-version=${c.version}><td>#${c.version}</td>
      <td class=${c===l?"":"quiet"}>${c===l&&r`<${f} name="check" />`}${c.effective_at?_t(c.effective_at):s("prices.first")}</td>
      <td>${om(c,n[m+1],i)}${c.note&&r` <span class="quiet text">${c.note}</span>`}</td>
      <td>${Date.parse(c.effective_at||"")>W()+6e4&&r`<${rm} of=${e} path=${t} version=${c} reload=${a} />`}</td></tr>`)}</tbody></table></section>`}function om(e,t,n){if(!e.rows.length)return s("prices.as-above");if(!t)return"—";let o=new Map(t.rows.map(l=>[l.plan,l.credits])),a=new Map(e.rows.map(l=>[l.plan,l.credits])),i=[...new Set([...o.keys(),...a.keys()])].filter(l=>!hn(o.get(l)||"",a.get(l)||"")).map(l=>{let c=o.get(l),m=a.get(l);return`${n.get(l)||l} ${c?E(c):"—"} → ${m?E(m):"—"}`});return r`<span translate=${!1}>${i.length?Ze(i):s("prices.same")}</span>`}function rm({of:e,path:t,version:{version:n},reload:o}){let a=R({name:`cancel prices ${e} ${n}`,method:"DELETE",path:`${t}/versions/${n}`,title:s("prices.cancel"),fields:{}});return D(a,()=>{re(P(s("prices.cancelled",{version:n}))),o()}),a.state==="unknown"?r`<${ge} form=${a} />`:r`<button type="button" class="button link" disabled=${a.frozen} onClick=${()=>a.send()}>${s("prices.cancel")}</button>${a.problem&&r`<${N} problem=${a.problem} />`}`}var ci=({form:e,name:t,label:n,of:o})=>r`<div class="field"><span aria-hidden="true">${n}</span>
  <fieldset class="choice few short" disabled=${e.frozen}><legend class="hush">${n}</legend>${o.map(([a,i])=>r`<label key=${a}>
    <input type="radio" name=${t} value=${a} checked=${e.fields[t]===a} onChange=${()=>e.set({[t]:a})} /><span>${i}</span></label>`)}</fieldset></div>`;function am({sort:e,then:t}){let n=R({name:"plan",method:"POST",path:"/plans",title:s("plan.new"),fields:{name:"",count:"1",unit:"month",connections:"1",packages:""}}),{fields:o}=n;D(n,()=>{t(),x(P(s("plan.created",{plan:n.answer.name})))});let a=o.packages.split(/[\s,]+/).filter(Boolean);return r`<${pe} title=${s("plan.new")} onClose=${()=>x()}>
    <${z} form=${n} submit=${s("reseller.create")} onClose=${()=>x()}
      onSubmit=${()=>n.send({name:o.name.trim(),period:{count:Number(o.count),unit:o.unit},connections:Number(o.connections),packages:a.length?a:null,sort:e})}>
      <${q} form=${n} name="name" label=${s("plan.name")} maxlength="64" autofocus required />
      <${ci} form=${n} name="unit" label=${s("price.choose")} of=${["day","month"].map(i=>[i,s("plan.unit."+i)])} />
      <${q} form=${n} name="count" label=${s("plan.count")} type="number" min="1" max="3660" required />
      <${q} form=${n} name="connections" label=${s("plan.connections")} hint=${s("plan.connections-hint")} type="number" min="1" max="1000" required />
      <${q} form=${n} name="packages" label=${s("plan.packages")} hint=${s("plan.packages-hint")} maxlength="400" />
      <p class="quiet small">${s("plan.immutable")}</p>
    <//>
  <//>`}function im({plan:{id:e,name:t,sort:n},then:o}){let a=s("line.edit-title",{name:t}),i=R({name:"plan "+e,method:"PATCH",path:"/plans/"+e,title:a,fields:{name:t,sort:String(n)}}),{fields:l}=i;return D(i,()=>{o(),x(P(s("line.edited",{name:i.answer.name})))}),r`<${pe} title=${a} onClose=${()=>x()}>
    <${z} form=${i} submit=${s("save")} onClose=${()=>x()} onSubmit=${()=>i.send({name:l.name.trim(),sort:Number(l.sort)})}>
      <${q} form=${i} name="name" label=${s("plan.name")} maxlength="64" autofocus required />
      <${q} form=${i} name="sort" label=${s("plan.sort")} type="number" min="0" max="1000000" required />
      <p class="quiet small">${s("plan.immutable")}</p>
    <//>
  <//>`}var wo=["month","last","dates"],ls=e=>[e.getFullYear(),e.getMonth()+1,e.getDate()].map(t=>String(t).padStart(2,"0")).join("-"),is=(e,t)=>new Date(e.getFullYear(),e.getMonth(),e.getDate()+t);function mi(e){let[,t,n,o]=/^(\d{4})-(\d\d)-(\d\d)$/.exec(e||"")||[];return t?new Date(Number(t),Number(n)-1,Number(o)):void 0}function di(e,t){let n=wo.find(c=>c===e.get("period"))||"month",o=is(new Date(t),0),a=c=>new Date(o.getFullYear(),o.getMonth()+c,1);if(n==="last")return{which:n,from:a(-1),to:a(0),last:is(a(0),-1)};if(n==="month")return{which:n,from:a(0),to:a(1),last:o};let[i,l]=[mi(e.get("from"))||a(0),mi(e.get("to"))||o].sort((c,m)=>c.getTime()-m.getTime());return{which:n,from:i,to:is(l,1),last:l}}function pi(e){let t=0n,n=0n;for(let{amount:o}of e)o.startsWith("-")?n-=B(o):t+=B(o);return{came:Xe(t),went:Xe(n)}}function ui(e,t,{from:n,last:o}){let a=[],i=t,l=e.length-1;for(let c=n;c<=o;c=is(c,1)){for(let m=is(c,1);l>=0&&new Date(e[l].at)<m;l--)i=e[l].balance;a.push({day:c,balance:i})}return a}async function lm(e,t,n){let o=[];for(let a="";;){let{data:i,next_cursor:l,opening:c,closing:m}=await K("GET",e,{query:{...t,limit:500,cursor:a},signal:n});if(o.push(...i),l===null)return{entries:o,opening:c,closing:m};a=l}}function yo(e){let{query:t}=j.use(),n=di(t,W()),o={from:n.from.toISOString(),to:n.to.toISOString()},a=`/users/${e.id}/ledger`,i=M(a,o,lm),l=i.value,c=Ao(n.from,n.last),m=!e.is_admin&&r`<${cm} of=${l} />`,d=u=>de({period:u==="month"?"":u,from:"",to:"",...u==="dates"&&{from:ls(n.from),to:ls(n.last)}}),p=(u,$)=>r`<label class="field">${s("statement."+u)}<input class="input" type="date" name=${u} required
    value=${ls($)} max=${ls(new Date(W()))} onChange=${b=>{b.target.value&&de({[u]:b.target.value})}} /></label>`;return{actions:r`<button type="button" class="button ghost print" disabled=${!l} onClick=${()=>print()}><${f} name="printer" /><span>${s("print")}</span></button>
      <${kt} of="ledger" query=${{account:e.id,...o}} label=${s("statement.csv")} look="button" />`,shown:r`<div class="statement">
      <${cn} title=${s("print.statement",{name:e.username})} more=${()=>r`<p>${c}</p>
        ${l?r`${m}<table class="table ledger"><thead>${Yn()}</thead><tbody>${l.entries.map(Us)}</tbody></table>`:s("list.loading")}`} />
      <div class="period">
        <div class="seg" role="group" aria-label=${s("statement.period")}>
          ${wo.map(u=>r`<button key=${u} type="button" aria-pressed=${u===n.which} onClick=${()=>d(u)}>${s("statement."+u)}</button>`)}
        </div>
        <p class="quiet" role="status">${c}</p>
        ${n.which==="dates"&&r`<div class="dates">${p("from",n.from)}${p("to",n.last)}</div>`}
      </div>
      ${i.problem&&r`<${N} problem=${i.problem} retry=${i.reload} />`}
      ${m&&r`${m}<${Zr} days=${l&&ui(l.entries,l.opening,n)} />`}
      <${Ke} path=${a} query=${o} row=${Us} head=${Yn()} look="dense ledger"
        count=${u=>s("statement.count",{n:u,count:F(u)})} label=${s("nav.statement")} empty=${s("statement.none")} />
    </div>`}}function $i({account:e}){let{actions:t,shown:n}=yo(e);return r`<div class="head"><h2>${s("nav.statement")}</h2><div class="actions">${t}</div></div>${n}`}function cm({of:e}){let{came:t,went:n}=pi(e?e.entries:[]),o=i=>B(i)?ot(i):"0",a=[[s("statement.opening"),e&&E(e.opening)],[s("statement.in"),o(t)],[s("statement.out"),o("-"+n)],[s("statement.closing"),e&&E(e.closing)]];return r`<dl class="sums panel" aria-busy=${!e}>${a.map(([i,l])=>r`<div key=${i}><dt>${i}</dt><dd>${e?l:"…"}</dd></div>`)}</dl>`}function Jt(e){let t=e.id===h().id;return{mine:t,write:w("users:write"),moves:Q.manage(e,"credits:move"),blocks:Q.manage(e,"users:write"),resets:Q.manage(e,"manage"),held:w("users:read")&&(t?!e.is_admin:Q.manage(e,""))}}function hi({id:e}){let{query:t}=j.use(),n=We(`/users/${e}`),o=n.value,[a,i]=g(0),l=rs(o&&Jt(o).held?o.id:null),c=t.get("do")||"",m=o&&mm(o,c),d=o&&Jt(o).moves&&/^(topup|reclaim)$/.test(c),p=u=>{if(i(a+1),d)return x(u);re(u),n.reload()};return Ht(),r`<${U} title=${o?.username||s("reseller.title")} named=${o} up="/resellers" actions=${o&&!m&&r`<${dm} reseller=${o} />`}>
    <${G} of=${n}>${()=>m?r`<${m} reseller=${o} alerts=${l} />`:r`<${pm} reseller=${o} alerts=${l} turn=${a} />`}<//>
    ${d?r`<${Rn} key=${c} reseller=${o} name=${c} onClose=${u=>u?p(u):x()} />`:r`<${Ss} then=${p} />`}
  <//>`}function mm(e,t){let{write:n,held:o,blocks:a,resets:i}=Jt(e),l={block:a&&!e.block_reseller&&bm,unblock:a&&e.block_reseller&&wm,contact:n&&fi,password:n&&fi,alert:o&&n&&vm,totp:i&&ym};return Object.hasOwn(l,t)&&l[t]}function dm({reseller:e}){let{mine:t,write:n,moves:o,held:a,resets:i}=Jt(e),l=h().is_admin&&w("prices:write")&&!e.is_admin,c=(m,d,p)=>r`<button type="button" onClick=${()=>Z(m)}><${f} name=${d} />${p}</button>`;return r`${o&&r`<button type="button" class="button primary" aria-haspopup="dialog" onClick=${()=>Je.set({reseller:e,name:"topup"})}><${f} name="plus" />${s("reseller.topup")}</button>`}
    ${n&&r`<button type="button" class="button" onClick=${()=>Z("contact")}>${s("reseller.contact")}</button>`}
    ${(o||t||a&&n||i||l)&&r`<${he} label=${s("more-about",{name:e.username})} look="button only">
      ${o&&r`<button type="button" onClick=${()=>Je.set({reseller:e,name:"reclaim"})}><${f} name="coins" />${s("reseller.reclaim")}</button>`}
      ${a&&n&&c("alert","bell",s("alert"))}
      ${l&&r`<${_} to=${"/prices?of="+e.id}><${f} name="tag" />${s("nav.prices")}<//>`}
      ${t&&r`<${_} to="/sessions"><${f} name="shield-check" />${s("nav.sessions")}<//>`}
      ${i&&r`<hr />${c("totp","shield-x",s("reseller.totp")+"…")}`}<//>`}`}function pm({reseller:e,alerts:t,turn:n}){let{moves:o,blocks:a,mine:i,held:l}=Jt(e),{id:c,username:m}=e,d={account:c},p=Is(d),u=e.is_admin?"admin":e.is_master?"master":"reseller",$=t.value?.balance_low,b=Xt(e,$),y=!w("events:read")||p.value||p.problem;return r`
    <p class="glance"><span class="badge"><${f} name="store" />${s("role."+u)}</span>${!e.active_tree&&r`<${An} reseller=${e} badge />`}<span class="quiet">${s("reseller.since",{date:ms(e.createdAt)})}</span></p>
    <${an} of=${"reseller "+c} name=${m} number=${Te(e.whatsapp,e.country)} />
    <div class="cols">
      <div class="stack">
        ${!e.is_admin&&r`<section class="panel"><h2>${s("balance")}</h2><div class="top-up-in">
          <div><p class="big" data-balance=${e.credits}><${fe} of=${e.credits} /></p>
            ${l&&!i&&r`<p class="low">${b&&r`<${f} name="trending-down" />${s($?"reseller.low-alert":"home.low",{amount:E(b)})}`}</p>`}</div>
          ${o&&r`<div class="adds" role="group" aria-label=${s("reseller.topup")}>${Pt.map(v=>r`<button key=${v} type="button" class="button" aria-haspopup="dialog" translate=${!1} data-add=${v}
            onClick=${()=>Je.set({reseller:e,name:"topup",amount:v})}>+${v}</button>`)}</div>`}</div></section>`}
        ${w("lines:read")&&r`<${$m} reseller=${e} />`}
        ${y?r`${!!(e.is_master||e.is_admin)&&r`<section class="panel"><h2>${s("reseller.below")}</h2><${yr} key=${n} master=${c} /></section>`}<${Ms} of=${d} latest=${p} />`:r`<${Ft} />`}
      </div>
      ${y&&r`<div class="stack">
        ${e.block&&r`<section class="panel"><h2>${s("reseller.blocked")}</h2><${bi} of=${e.block} /></section>`}
        <section class="panel"><h2>${s("line.record")}</h2><${X} of=${[[s("reseller.role"),s("role."+u)],[s("whatsapp"),e.whatsapp],[s("telegram"),e.telegram],[s("email"),e.email],[s("country"),$s(e.country)],[s("notes"),e.notes&&r`<span class="text">${e.notes}</span>`],[s("reseller.master"),e.master&&!i?r`<${fm} id=${e.master} />`:null],[s("alert.field"),t.value?$?r`<${fe} of=${$} />`:s("alert.none"):l&&!t.problem?"…":null],[s("reseller.recharged"),e.is_admin?null:A(e.recharge)],[s("line.id"),c],[s("created"),A(e.createdAt)],[s("changed"),A(e.updatedAt)]]} /></section>
        ${a&&r`<section class="panel"><h2>${s(e.block_reseller?"reseller.unblock":"reseller.block")}</h2>
          <p class="quiet">${s(e.block_reseller?"reseller.unblock-meaning":"reseller.block-meaning")}</p>
          ${e.block_reseller?r`<button type="button" class="button" onClick=${()=>Z("unblock")}><${f} name="lock-open" />${s("reseller.unblock-title",{name:m})}</button>`:r`<button type="button" class="button danger-plain" onClick=${()=>Z("block")}><${f} name="lock" />${s("reseller.block-title",{name:m})}…</button>`}</section>`}
      </div>`}
    </div>
    ${y&&w("ledger:read")&&r`<${$i} key=${n} account=${e} />`}`}var um=[["running","circle-check","good"],["soon","clock-alert","warn"],["past","circle-x","bad"],["trials","circle-dashed","plain"]];function $m({reseller:{id:e}}){let{value:t,problem:n,reload:o}=M("/reports/summary",{account:e,days:1}),a=t?.lines,i=l=>"/lines?"+new URLSearchParams(ss({owner:e,...l}));return r`<section class="panel"><header><h2>${s("nav.lines")}</h2><${_} class="button link" to=${i({})}>${s("home.all")}<//></header>
    ${n&&r`<${N} problem=${n} retry=${o} />`}
    <ul class="tiles">${um.map(([l,c,m])=>r`<li key=${l}><${_} class="tile" to=${i(St[l][1])} data-count=${l}>
      <span class="figure">${a?F(a[St[l][0]])+(a.capped?"+":""):" "}</span><span><${at} icon=${c} tone=${m}>${s("tabs."+l)}<//></span><//></li>`)}</ul>
  </section>`}function fm({id:e}){let t=Oe(e);return e===h().id?t:r`<${_} to=${"/resellers/"+e}>${t||s("reseller.by-id",{id:e})}<//>`}var vo=({reseller:e,name:t,path:n="block",...o})=>r`<${pt} name=${`${t} ${e.id}`} path=${`/users/${e.id}/${n}`}
  title=${s(`reseller.${t}-title`,{name:e.username})} meaning=${s(`reseller.${t}-meaning`)} submit=${s("reseller."+t)} danger=${t!=="unblock"} ...${o}
  then=${()=>x(P(s(`reseller.${t}-done`,{name:e.username}),t==="block"?{undo:hm(e)}:{}))} />`,hm=({id:e,username:t})=>({name:"unblock "+e,method:"DELETE",path:`/users/${e}/block`,title:s("reseller.unblock-title",{name:t}),said:s("reseller.unblock-done",{name:t})}),bi=({of:{lines:e,reason:t,at:n}})=>r`<${X} of=${[[s("nav.lines"),s("block."+e)],[s("block.since"),n&&A(n)],[s("reason"),t&&r`<span class="text">${t}</span>`]]} />`;function bm(e){let{id:t,username:n}=e.reseller,o=w("lines:read"),a=M(o?"/reports/summary":null,{tree:t,days:1});return r`<${vo} ...${e} name="block" method="PUT" fields=${{lines:"run",reason:""}}>${i=>r`
    <${Ge} form=${i} name="lines" label=${s("block.lines")} of=${["run","suspend"].map(l=>[l,s("block."+l),s(`block.${l}-means`)])} />
    ${o&&i.fields.lines==="suspend"&&r`<${G} of=${a}>${gm}<//>`}
    <${sn} form=${i} name=${n} />`}<//>`}function gm({lines:{running:e,trials:t,capped:n}}){let o=e+t,a=F(o);return r`<p role="status" data-stops=${o}><strong>${s("block.stops",{n:o,lines:n?s("at-least",{n:a}):a})}</strong></p>`}var wm=({reseller:e})=>r`<${vo} reseller=${e} name="unblock" method="DELETE">
  ${()=>e.block&&r`${e.block.lines==="suspend"&&r`<p>${s("block.over")}</p>`}<${bi} of=${e.block} />`}<//>`,ym=e=>r`<${vo} ...${e} name="totp" method="DELETE" path="totp" />`;function fi({reseller:e}){let t=s("reseller.contact-title",{name:e.username}),{mine:n}=Jt(e),o=j.get().query.get("do")==="password",a=R({name:"contact "+e.id,method:"PATCH",path:`/users/${e.id}/contact`,title:t,secret:["password"],fields:{country:e.country,whatsapp:e.whatsapp||"",telegram:e.telegram||"",email:e.email||"",notes:e.notes||"",username:e.username,password:""}}),{fields:{username:i,password:l},answer:c}=a;D(a,()=>x(P(s(l?"password.changed":"reseller.contact-done",{name:c.username}))));let m=()=>a.send({...jt(a.fields),...!n&&ke(i)!==e.username&&{username:i},...!n&&l&&{password:l}});return r`<section class="panel"><h2>${t}</h2>
    <${z} form=${a} submit=${s("save")} onSubmit=${m} onClose=${()=>x()}>
      <${ct} form=${a} />
      ${!n&&r`<details open=${o||!!l||i!==e.username}><summary>${s("reseller.password")}</summary>
        <${q} form=${a} name="username" label=${s("username")} maxlength="64" required />
        <${q} form=${a} name="password" label=${s("password.new")} hint=${s("password.meaning")} type="password" autocomplete="new-password" minlength="6" maxlength="128" /></details>`}
    <//>
  </section>`}var vm=({reseller:e,alerts:t})=>r`<${G} of=${t}>${n=>r`<${js} account=${e} alerts=${n} changed=${t.set} />`}<//>`;function gi({name:e,label:t}){let n=j.use().query.get(e)||"",[o,a]=g(n),i=Y(0);return C(()=>{i.current||a(n)},[n]),C(()=>()=>clearTimeout(i.current),[]),r`<label class="search"><${f} name="search" />
    <input type="search" value=${o} onInput=${c=>{let m=c.target.value;a(m),clearTimeout(i.current),i.current=setTimeout(()=>{i.current=0,de({[e]:ke(m)})},250)}} aria-label=${t} placeholder=${t} autocapitalize="none" autocomplete="off" spellcheck=${!1} maxlength="64" /></label>`}var km=500,wi={low:e=>!!Xt(e),blocked:e=>!e.active_tree},yi=({credits:e},{credits:t})=>B(e)<B(t)?-1:+(B(e)>B(t)),vi=["balance","-balance"];function ki(e){let t=new URLSearchParams(location.search);for(let[n,o]of Object.entries(e))o?t.set(n,o):t.delete(n);fs({},t.size?"?"+t:""),j.set({...j.get(),query:t})}function xi(){let{query:e}=j.use(),[t,n]=g(null);if(e.get("do")==="create"&&Q.createResellers())return r`<${xm} />`;let o=e.get("q"),a=!!e.get("all")||!!o,i=t!==!1&&e.get("view")||"",l=t!==!1&&vi.find(O=>O===e.get("sort"))||"",c=a?{q:o}:{master:h().id},m=(O,L)=>O.filter(T=>T.id!==h().id&&wi[L]?.(T)!==!1),d=O=>t&&!o&&m(t,O).length,p=O=>{let L=m(O,i);return l?L.sort((T,H)=>l==="balance"?yi(T,H):yi(H,T)):L},u=(O,L,T,H)=>r`<a key=${O} href=${rt("/resellers?"+new URLSearchParams(T))} aria-current=${L?"page":void 0} data-tab=${O}
    onClick=${ne=>{ne.preventDefault(),(T.all?a&&!o:!a)?ki({view:T.view||""}):de({q:"",all:"",view:"",...T})}}>${s("resellers."+O)}${typeof H=="number"&&r` <b>${F(H)}</b>`}</a>`,$={name:"sort",label:s("sort"),value:l,always:!0,of:["",...vi].map(O=>[O,s("sort."+(O||"oldest"))]),choose:O=>ki({sort:O})},b=t?r`<${$n} name="num bal" label=${s("balance")} orders=${[["balance","ascending"],["-balance","descending"]]} order=${l} choose=${$.choose} />`:r`<th class="num bal">${s("balance")}</th>`,[y,...v]=s("reseller.new").split(" "),k=r`<tr><th class="name">${s("reseller.title")}</th>${b}<th class="sit">${s("filter.status")}</th><th class="last">${s("reseller.recharged")}</th>
    <th class="tel">${s("whatsapp")}</th><th class="notes">${s("notes")}</th><th class="does"><span class="hush">${s("actions")}</span></th></tr>`;return r`<${U} title=${s("nav.resellers")} actions=${r`<${kt} of="users" query=${c} />
      ${Q.createResellers()&&r`<button type="button" class="button primary" onClick=${()=>Z("create")}><${f} name="plus" /><span>${y}<span class="words"> ${v.join(" ")}</span></span></button>`}`}>
    <div class="customers-of">
      <nav class="tabs" aria-label=${s("chips")}><${un} of=${t?[$]:[]}><hr /><${kt} of="users" query=${c} look="" /><//>
        ${u("direct",!a&&!i,{},!a&&d(""))}
        ${t!==!1&&Object.keys(wi).map(O=>u(O,i===O,{view:O,...e.get("all")&&{all:"1"}},d(O)))}
        ${u("all",a&&!i,{all:"1"},a&&d(""))}</nav>
      <div class="filters" role="search"><${gi} name="q" label=${s("resellers.search")} /></div>
      <${Ke} path="/users" query=${c} row=${Dn} label=${s("nav.resellers")} head=${k} look="resellers" size=${km} arrange=${p} told=${n}
        count=${O=>s("resellers.count",{n:O,count:F(O)})} empty=${s(o||i?"resellers.none-such":"resellers.none")} />
    </div>
    <${Ss} then=${re} />
  <//>`}function xm(){let e=_e.use(),t=R({name:"create",method:"POST",path:"/users",title:s("reseller.new"),secret:["password"],fields:{username:"",password:rn(),is_master:0,credits:"0",country:void 0,whatsapp:"",telegram:"",email:"",notes:"",language:Eo.get()}}),n={...t.fields,country:t.fields.country??e?.country??""},o={...t,fields:n},{answer:a}=o,i=ye(n.credits,!0),l=o.frozen?o.said().credits:i.amount;D(o,()=>{let m=a.credits!=="0";Re.set({of:"reseller "+a.id,secret:n.password}),be("/resellers/"+a.id,{replace:!0,state:P(s("reseller.created",{name:a.username}),m?{payer:a.id,key:o.key}:{})})});let c=()=>o.send({username:n.username,password:n.password,is_master:n.is_master,credits:l,language:n.language,...jt(n)});return r`<${U} title=${s("reseller.new")} up="/resellers"><section class="panel">
    <${z} form=${o} submit=${l&&B(l)>0n?s("reseller.create-amount",{amount:V(l)}):s("reseller.create")} unclear=${!!i.wrong} onSubmit=${c} onClose=${()=>x()}>
      <${q} form=${o} name="username" label=${s("username")} maxlength="64" required />
      <${q} form=${o} name="password" label=${s("password")} hint=${s("password.generated")} minlength="6" maxlength="128" required />
      <label class="check"><input type="checkbox" name="is_master" checked=${!!n.is_master} disabled=${o.frozen}
        onChange=${m=>o.set({is_master:m.target.checked?1:0})} />${s("reseller.is-master")}</label>
      ${w("credits:move")&&r`<${it} form=${o} typed=${i} label=${s("reseller.first-credits")} hint=${s(h().is_admin?"amount.issued":"amount.own")} />`}
      <${ct} form=${o} />
      <${q} form=${o} name="language" label=${s("language")} kind="select">
        ${Object.entries(Fo).map(([m,d])=>r`<option key=${m} value=${m} lang=${m}>${d}</option>`)}<//>
    <//>
  </section><//>`}function Si(){let{actions:e,shown:t}=yo(h());return r`<${U} title=${s("nav.statement")} actions=${e}>${t}<//>`}var Sm=10,Ci=80;function _i(){let{query:e}=j.use();return e.get("do")==="create"?r`<${Om} />`:r`<${Cm} />`}var Cm=()=>r`<${en} path="/webhooks" title=${s("nav.webhooks")} meaning=${s("webhook.meaning")} add=${s("webhook.new")} most=${Sm}
  full=${s("problem.too-many-webhooks")} empty=${s("webhook.none")} row=${e=>r`<${_m} webhook=${e} />`} />`,_m=({webhook:e})=>r`<${_} class="row webhook" to=${"/webhooks/"+e.id} data-row>
  <span class="name">${e.url.length>Ci?e.url.slice(0,Ci-1)+"…":e.url}${e.description&&r`<span class="notes quiet">${e.description}</span>`}</span>
  <${Ks} webhook=${e} />
  <span class="quiet">${Ws(e)} · ${Gs(e)}</span>
  ${!e.enabled&&r`<span>${xt(e).join(" ")}</span>`}
<//>`;function Om(){let e=R({name:"webhook",method:"POST",path:"/webhooks",title:s("webhook.new"),place:"/webhooks?do=create",fields:Js()}),{fields:t,answer:n}=e;return D(e,()=>{Re.set({of:"webhook "+n.id,secret:n.secret}),be("/webhooks/"+n.id,{replace:!0,state:P(s("webhook.created"))})}),r`<${U} title=${s("webhook.new")} up="/webhooks"><section class="panel">
    <${z} form=${e} submit=${s("reseller.create")} ready=${Vs(t)} onSubmit=${()=>e.send(Qs(t))} onClose=${()=>x()}>
      <${Ys} form=${e} />
    <//>
  </section><//>`}var Oi=[["/",fa],["/lines",Ja],["/lines/:id",La],["/jobs",ha],["/jobs/:id",ba],["/resellers",xi],["/resellers/:id",hi],["/statement",Si],["/activity",Vr],["/webhooks",_i],["/webhooks/:id",ai],["/keys",Ta],["/keys/:id",Fa],["/staff",qa],["/staff/:id",Ea],["/messages",Va],["/sessions",Oa],["/proof",ua],["/prices",ii]];var Tm=5,qm=200,qi=({username:e,whatsapp:t,notes:n,telegram:o,email:a,external_id:i},l)=>[e,t,n,o,a,i].find(c=>mt(c,l));function Ti(e,t,n){let o=M(e&&n?e:null,{q:n,limit:Tm},(c,m,d)=>K("GET",c,{query:m,signal:d}).then(p=>({...p,of:n}))),a=o.value,i=Y([]);a&&(i.current=a.data);let l=a?.of===t;return{rows:t?l?i.current:i.current.filter(c=>qi(c,t)):[],more:l&&a?.next_cursor!==null,settled:!e||!t||l||n===t&&!!o.problem,problem:t&&o.problem,reload:o.reload}}function Fi({places:e,close:t}){let{path:n,query:o}=j.use(),a=st(),i=Y(null),l=Y(!1),[c,m]=g(n==="/lines"&&o.get("q")||""),[d,p]=g(""),[u,$]=g(""),b=ke(c);C(()=>{let S=setTimeout(()=>p(b),qm);return()=>clearTimeout(S)},[b]);let y=Zn("trial that was searched for",t),v=Ti(w("lines:read")?"/lines":"",b,d),k=Ti(Q.seeResellers()?"/users":"",b,d),O=v.settled&&k.settled,L=S=>({name:S.username,record:!0,hit:mt(S.username,b)?S.whatsapp:qi(S,b)||S.whatsapp}),T=v.rows.length,H=k.rows.filter(({id:S})=>S!==h().id),ne=({name:S})=>!b||!!mt(S,b),ce=S=>S.map(([le,je,Ii])=>({key:le,to:le,icon:je,name:Ii})).filter(ne),Ie=[[s("nav.lines"),v.rows.map(S=>({key:"line "+S.id,icon:"tv",to:"/lines/"+S.id,end:ds(S.expDate),...L(S)}))],[s("nav.resellers"),H.map(S=>({key:"user "+S.id,icon:"users",to:"/resellers/"+S.id,end:S.is_admin?"":s("balance-after",{amount:E(S.credits)}),...L(S)}))],[s("actions"),[...w("lines:write")?[{key:"trial",icon:"plus",name:s("trial.new"),act:()=>y.send({})}].filter(ne):[],...ce([...Q.createResellers()?[["/resellers?do=create","plus",s("reseller.new")]]:[],...w("manage")?[["/staff?do=create","plus",s("staff.new")],["/keys?do=create","plus",s("key.new")]]:[]]),...T||v.more?[{key:"list",icon:"list-filter",to:"/lines?"+new URLSearchParams({q:b}),name:v.more?s("search.list"):s("search.list-n",{n:T,count:F(T)})}]:[]]],[s("search.places"),ce(e)]].filter(([,S])=>S.length),ue=Ie.flatMap(([,S])=>S),ve=ue.find(({key:S})=>S===u)||(b?ue[0]:void 0),J=S=>S&&a+S.key.replace(/\W/g,"-"),oe=()=>document.getElementById(J(ve)||"");Ne(()=>{let S=i.current,le=S.querySelector("input");return S.showModal(),le?.focus(),le?.select(),()=>S.close()},[]),C(()=>oe()?.scrollIntoView({block:"nearest"}),[ve?.key]),C(()=>{!O||!l.current||(l.current=!1,oe()?.click())},[O]);let Me=S=>{let le={ArrowDown:1,ArrowUp:-1}[S.key];if(le&&ue.length)$(ue.at((ve?ue.indexOf(ve)+le:le>0?0:-1)%ue.length)?.key||"");else if(S.key==="Enter")O?oe()?.click():l.current=!0;else return;S.preventDefault()},Qt=T+H.length,I=v.problem||k.problem,te=!b||!O||I?"":!Qt&&(v.more||k.more)?s("list.paused"):s("search.results",{n:Qt,count:F(Qt)+(v.more||k.more?"+":"")});return r`<dialog class="palette" ref=${i} aria-label=${s("search")} onClose=${t} onKeyDown=${S=>S.stopPropagation()}
    onPointerDown=${S=>{En(S)&&t()}}>
    <div class="palette-head"><${f} name="search" />
      <input type="text" role="combobox" aria-expanded=${ue.length>0} aria-controls=${a} aria-activedescendant=${J(ve)} aria-autocomplete="list" aria-label=${s("search")} value=${c}
        enterkeyhint="go" autocapitalize="none" autocomplete="off" spellcheck=${!1} maxlength="64" onKeyDown=${Me}
        onInput=${S=>{m(S.target.value),$(""),l.current=!1}} />
      <kbd class="key desk" aria-hidden="true">Esc</kbd><button type="button" class="button ghost only thumb" aria-label=${s("close")} onClick=${t}><${f} name="x" /></button></div>
    ${ue.length>0&&r`<ul class="menu" role="listbox" id=${a} aria-label=${s("search")} aria-busy=${!O} onClick=${S=>{S.defaultPrevented&&S.target.closest("a")&&t()}}>
      ${Ie.map(([S,le])=>r`<li key=${S} role="group" aria-label=${S}><span class="menu-head" aria-hidden="true">${S}</span>
        ${le.map(je=>r`<${Fm} key=${je.key} of=${je} id=${J(je)} on=${je===ve} by=${b} off=${y.frozen} />`)}</li>`)}</ul>`}
    ${I&&r`<${N} problem=${I} retry=${()=>{v.reload(),k.reload()}} />`}
    <${Xn} form=${y} />
    ${!!te&&!ue.length&&r`<p class="quiet none">${s("search.none")}</p>`}
    <footer><span class="desk"><kbd class="key">↑</kbd> <kbd class="key">↓</kbd> ${s("search.choose")}</span><span class="desk"><kbd class="key">Enter</kbd> ${s("search.open")}</span><span class="count" role="status">${te}</span></footer>
  </dialog>`}function Fm({of:{icon:e,name:t,to:n,act:o,record:a,hit:i,end:l},id:c,on:m,by:d,off:p}){let u={id:c,role:"option",tabindex:-1,"aria-selected":m,class:m?"is-hover":""},$=r`<${f} name=${e} /><span class="clip" translate=${!a}><${dt} text=${t} by=${d} />${i&&r` <span class="quiet"><${dt} text=${i} by=${d} /></span>`}</span>
    ${l&&r`<span class="at desk">${l}</span>`}`;return n?r`<${_} to=${n} ...${u}>${$}<//>`:r`<button type="button" disabled=${p} onClick=${o} ...${u}>${$}</button>`}var ko=`resellerd${me} keys off`,xo=ie(!Be(ko)),ut=ie(!1);function Em(e){e?localStorage.removeItem(ko):De(ko,"yes"),xo.set(e)}function Ei(e){let t=document.querySelector("[data-search]");!(t instanceof HTMLElement)||document.querySelector("dialog[open]")||(e.preventDefault(),t.focus(),t.click())}addEventListener("keydown",e=>{if(e.key==="k"&&(e.ctrlKey||e.metaKey)&&!e.altKey&&Ei(e),e.defaultPrevented||e.ctrlKey||e.metaKey||e.altKey)return;let t=e.target instanceof HTMLElement?e.target:document.body,n=t.matches("input:not([type=checkbox]), textarea, select");if(e.key==="Escape"&&!ut.get()){n?t.blur():j.get().query.get("do")&&!document.querySelector("[data-form=sending], [data-form=unknown]")&&x();return}if(!(n||!xo.get()||ut.get())){if(e.key==="/")Ei(e);else if(e.key==="x")(t.closest("tr")?.querySelector(".pick input")||null)?.click();else if(e.key==="r")(t.closest("tr")?.querySelector("[data-renew]")||null)?.click();else if(e.key===".")document.querySelector(".pick-bar button")?.focus();else if(e.key==="?")e.preventDefault(),ut.set(!0);else if(e.key==="j"||e.key==="k"){let o=[...document.querySelectorAll("[data-row]")],a=o.findIndex(l=>l===t||(l.closest("tr")||l.previousElementSibling)?.contains(t)),i=a>=0?a+(e.key==="j"?1:-1):o.findIndex(l=>l.getBoundingClientRect().top>=0);if(!o[i])return;e.preventDefault(),o[i].focus(),o[i].scrollIntoView({block:"nearest"})}}});var Rm=[["/ Ctrl+K","search"],["j","next"],["k","previous"],["x","select"],["r","renew"],[".","act"],["Enter","open"],["Esc","leave"],["?","help"]];function Ri(){let e=Y(null),t=ut.use(),n=xo.use();return C(()=>{t?e.current?.showModal():e.current?.close()},[t]),r`<dialog class="dialog" ref=${e} aria-labelledby="keys" onClose=${()=>ut.set(!1)}>
    <h2 id="keys">${s("keys.title")}</h2>
    <dl class="facts">${Rm.map(([o,a])=>r`<div key=${o}><dt>${o.split(" ").map(i=>r`<kbd>${i}</kbd> `)}</dt><dd>${s("keys."+a)}</dd></div>`)}</dl>
    <label class="check"><input type="checkbox" checked=${n} onChange=${o=>Em(o.target.checked)} />${s("keys.letters")}</label>
    <div class="buttons"><button type="button" class="button primary" onClick=${()=>ut.set(!1)}>${s("close")}</button></div>
  </dialog>`}var So=[["/","house",""],["/lines","tv","lines:read"],["/resellers","users","users:read",Q.haveBelow],["/statement","receipt-text","ledger:read"]],Co={business:[["/prices","tag","",()=>!!h().is_admin],["/messages","message-square-text","lines:read"],["/activity","activity","events:read"],["/jobs","list-checks","lines:read"],["/proof","scale","ledger:read",()=>!!h().is_admin]],team:[["/staff","user-round-cog","manage"],["/keys","key-round","manage"],["/webhooks","webhook","manage"]],account:[["/sessions","shield-check",""]]},bn=([,,e,t])=>w(e)&&t?.()!==!1,_o=e=>s("nav."+(e.slice(1)||"home"));function Di({children:e}){let{path:t}=j.use(),n=Fn.use(),[o,a]=g(!1),i=Ko(o,()=>a(!1)),l="/"+t.split("/")[1],c=Pm(),m=([d,p])=>r`<${_} key=${d} to=${d} title=${_o(d)} aria-current=${d===l?"page":void 0}>
    <${f} name=${p} /><span>${_o(d)}</span><//>`;return r`
    <a class="skip" href="#main">${s("skip")}</a>
    <nav class="places" aria-label=${s("nav")}>
      <${_} to="/" class="brand" translate=${!1}><${kn} /><span class="clip">${Vt}</span><//>
      ${So.filter(bn).map(m)}
      <div class="rest" ref=${i}>
        <button type="button" aria-expanded=${o} aria-controls="more" onClick=${()=>a(!o)}><${f} name="menu" /><span>${s("nav.more")}</span></button>
        ${o&&r`<div class="veil" onClick=${()=>a(!1)}></div>`}
        <div id="more" class=${o?"more open":"more"} onClick=${d=>{d.target.closest("a")&&a(!1)}}>
          <div class="me"><span class="avatar" aria-hidden="true">${c[0].toUpperCase()}</span><span><b class="clip" translate=${!1}>${c}</b><${Pi} /></span></div>
          ${Object.entries(Co).map(([d,p])=>p.some(bn)&&r`<div key=${d} class=${"group "+d}><p class="group-name">${s("nav.group."+d)}</p>${p.filter(bn).map(m)}</div>`)}
          <div class="narrow"><${xn} /><${Sn} /></div>
        </div>
      </div>
      <${xr} />
    </nav>
    <header class="top" data-who=${c}>
      <${_} to="/" class="start" aria-label=${Vt}><${kn} /><//>
      <${Dm} />
      <${Pi} link />
      <${he} label=${c} look="avatar" face=${c[0].toUpperCase()}>
        <p class="menu-head" translate=${!1}>${c}</p>
        <${_} to="/sessions"><${f} name="shield-check" />${s("nav.sessions")}<//>
        <${xn} />
        <button type="button" onClick=${()=>ut.set(!0)}><${f} name="keyboard" />${s("keys.title")}<kbd>?</kbd></button>
        <hr />
        <${Sn} />
      <//>
    </header>
    <${zo} />
    <main id="main" tabindex="-1">
      <div class="toasts" aria-live="polite">
        ${n.map(d=>r`<${Am} key=${d.id} sent=${d} />`)}<${pr} />
      </div>
      ${[...So,...Object.values(Co).flat()].every(([d,,p])=>d!==l||w(p))?e:r`<${U} title=${s("nav."+l.slice(1))}><${ee}><p>${s("problem.insufficient-scope")}</p><//><//>`}
    </main>
    <${Ri} /><${Go} />`}function Pm(){let{staff:e,username:t}=h();return e?s("acts-for",{name:e.username,account:t}):t}function Dm(){let[e,t]=g(!1);return r`<button type="button" class="finder" data-search aria-haspopup="dialog" aria-keyshortcuts="/ Control+K" onClick=${()=>t(!0)}>
    <${f} name="search" /><span class="clip">${s("search")}${w("lines:read")&&r` <span class="desk">${s("search.what")}</span>`}</span><kbd class="key desk" aria-hidden="true">/</kbd></button>
    ${e&&r`<${Fi} places=${[...So,...Object.values(Co).flat()].filter(bn).map(([n,o])=>[n,o,_o(n)])} close=${()=>t(!1)} />`}`}function Pi({link:e=!1}){let t=_e.use();if(!t||t.is_admin)return null;if(!e)return r`<span class="quiet"><${fe} of=${t.credits} /></span>`;let n=r`<${f} name="coins" /><${Ho} of=${t.credits} />`;return w("ledger:read")?r`<${_} to="/statement" class="balance">${n}<//>`:r`<span class="balance">${n}</span>`}function Am({sent:e}){let t=lr(e),n=t.state.use(),[o,a]=g(!1),{path:i}=j.use(),l=e.place&&e.place!==i+location.search;if(C(()=>{a(!1);let m=setTimeout(()=>a(!0),e.place&&!l?5e3:700);return()=>clearTimeout(m)},[l]),C(()=>t.state.watch(()=>{let m=t.state.get();m==="done"&&!e.place&&re(P(s("form.settled",{title:e.title}),{payer:e.payer,key:t.kept.key})),t.problem&&(m==="refused"||m==="over")&&(t.drop(),re(P(s("form.not-done",{title:e.title,why:Mo(t.problem).text}),{tone:"bad"})))}),[]),!o)return null;let c={problem:t.problem,pays:!!e.payer,tooOld:t.tooOld(),again:()=>t.again(),discard:()=>t.drop()};return r`<div class="toast" data-form=${n}><p>${s("form.pending",{title:e.title})}</p>
    ${l?r`<div class="buttons"><${_} class="button primary" to=${e.place}>${s("form.back")}<//></div>`:n==="sending"?r`<p role="status">${s("form.sending")}</p>`:r`<${ge} form=${c} />`}</div>`}function Uv(){let{path:e}=j.use();if(e==="/sign-in")return be("/",{replace:!0}),null;let t=No(Oi,e);return r`<${Di}>
    ${t?r`<${t.screen} key=${e} id=${t.id} />`:r`<${U} title=${s("nowhere")}><p><${_} to="/">${s("nav.home")}<//></p><//>`}
  <//>`}function Lm(){if(document.querySelector("[rel=manifest]"))return;let e=document.createElement("link");e.rel="manifest",e.href=new URL("./manifest.webmanifest",import.meta.url).href,document.head.append(e)}var Ai="";function Li(){let e=ze.get();!("who"in e)||se(e.who)===Ai||(Ai=se(e.who),Yo(),wr(),vs(),Se.set(null),tt.set(null),Lm())}Li();ze.watch(Li);export{Uv as Inside};
//# sourceMappingURL=inside.js.map
