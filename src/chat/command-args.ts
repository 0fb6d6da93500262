/** Which arguments a button may pass to which command; generated from the catalog by test/contract/buttons.test.ts. */
export interface CommandArgs {
  readonly 'admin emails': 'words' | 'from';
  readonly 'admin jobs': 'status' | 'order' | 'from';
  readonly 'admin runs': 'status' | 'event' | 'branch' | 'actor' | 'sha' | 'from';
  readonly 'agents add': 'name' | 'may' | 'repos' | 'expires' | 'pace';
  readonly 'agents list': 'everyone' | 'from';
  readonly 'agents revoke': 'agent';
  readonly 'approval show': 'id';
  readonly audit: 'command' | 'who' | 'outcome' | 'since' | 'until' | 'before';
  readonly away: 'until';
  readonly 'bots approve': 'pulls';
  readonly 'bots show': 'of';
  readonly 'cron list': 'from';
  readonly 'cron run': 'task' | 'reason';
  readonly deploy: 'environment' | 'ref' | 'input' | 'reason' | 'breakGlass';
  readonly 'deploy freeze': 'environment' | 'length' | 'reason';
  readonly 'deploy history': 'environment' | 'from';
  readonly 'deploy status': 'environment';
  readonly 'deploy unfreeze': 'environment';
  readonly 'feed repo': 'repository' | 'date' | 'from';
  readonly 'feed user': 'person' | 'date' | 'own' | 'from';
  readonly follow: 'item' | 'me';
  readonly 'hook create':
    | 'address'
    | 'type'
    | 'events'
    | 'branches'
    | 'kind'
    | 'content'
    | 'channel'
    | 'title'
    | 'asleep'
    | 'wake'
    | 'reason';
  readonly 'hook list': 'kind' | 'from';
  readonly inbox: 'show' | 'from';
  readonly 'inbox clear': 'repository' | 'olderThan' | 'all' | 'before' | 'show';
  readonly 'inbox mark': 'thread' | 'as' | 'show' | 'from';
  readonly 'issue assign': 'issue' | 'people' | 'seen';
  readonly 'issue block': 'issue' | 'blocked';
  readonly 'issue close': 'issue';
  readonly 'issue comment': 'issue' | 'body';
  readonly 'issue create':
    | 'repository'
    | 'template'
    | 'title'
    | 'body'
    | 'assignees'
    | 'labels'
    | 'milestone'
    | 'due'
    | 'answers';
  readonly 'issue due': 'issue' | 'due' | 'seen';
  readonly 'issue edit': 'issue' | 'title' | 'body' | 'assignees' | 'milestone' | 'due' | 'labels' | 'version' | 'seen';
  readonly 'issue label': 'issue' | 'labels';
  readonly 'issue list': 'repository' | 'state' | 'labels' | 'author' | 'from';
  readonly 'issue log-time': 'issue' | 'time' | 'for' | 'on';
  readonly 'issue reopen': 'issue';
  readonly 'issue search':
    | 'query'
    | 'state'
    | 'type'
    | 'repo'
    | 'owner'
    | 'labels'
    | 'milestone'
    | 'author'
    | 'assigned'
    | 'created'
    | 'mentioned'
    | 'reviewRequested'
    | 'reviewed'
    | 'from';
  readonly 'issue show': 'issue';
  readonly 'issue unblock': 'issue' | 'blocked';
  readonly 'key add': 'repository' | 'title' | 'key' | 'write' | 'reason';
  readonly 'key add-mine': 'title' | 'key';
  readonly 'key list': 'repository' | 'fingerprint' | 'keyId' | 'from';
  readonly mute: 'what' | 'length' | 'everywhere';
  readonly 'package show': 'package';
  readonly people: 'person' | 'from';
  readonly 'pr approve': 'pull' | 'body' | 'head' | 'publish';
  readonly 'pr close': 'pull';
  readonly 'pr diff': 'pull' | 'verdict' | 'body' | 'lines' | 'head' | 'file';
  readonly 'pr edit': 'pull' | 'title' | 'body' | 'assignees' | 'milestone' | 'due' | 'labels' | 'version' | 'seen';
  readonly 'pr list': 'repository' | 'state' | 'labels' | 'author' | 'from';
  readonly 'pr merge': 'pull' | 'style' | 'title' | 'message' | 'deleteBranch' | 'whenChecksSucceed' | 'yes' | 'head';
  readonly 'pr nudge': 'pull';
  readonly 'pr reopen': 'pull';
  readonly 'pr request-changes': 'pull' | 'body' | 'head' | 'publish';
  readonly 'pr retarget': 'pull' | 'base';
  readonly 'pr review': 'pull' | 'people' | 'teams' | 'assign';
  readonly 'pr show': 'pull';
  readonly 'project close': 'project';
  readonly 'project column-add': 'project' | 'title' | 'color';
  readonly 'project create': 'repository' | 'title' | 'template' | 'cards' | 'description';
  readonly 'project edit': 'project' | 'title' | 'cards' | 'description';
  readonly 'project mine column-edit': 'project' | 'column' | 'title' | 'color' | 'position';
  readonly 'project mine columns': 'project' | 'from';
  readonly 'project mine edit': 'project' | 'title' | 'cards' | 'state' | 'description';
  readonly 'project reopen': 'project';
  readonly queue: 'pull' | 'style' | 'deleteBranch' | 'first' | 'reason' | 'workflows' | 'head' | 'scheduled';
  readonly 'queue list': 'repository';
  readonly 'queue pause': 'repository' | 'branch' | 'for' | 'reason';
  readonly 'queue remove': 'pull';
  readonly 'queue require': 'repository' | 'branch' | 'off' | 'reason';
  readonly 'queue resume': 'repository' | 'branch';
  readonly 'queue setup': 'repository' | 'branch';
  readonly 'remind bots': 'days' | 'time' | 'repository';
  readonly 'remind list': 'from';
  readonly 'remind remove': 'reminder';
  readonly 'remind report': 'days' | 'time' | 'of';
  readonly 'remind reviews': 'days' | 'time' | 'repository' | 'me' | 'olderThan' | 'labels' | 'drafts';
  readonly 'repo commits': 'repository' | 'branch' | 'path' | 'since' | 'until' | 'without' | 'from';
  readonly 'repo create':
    | 'repository'
    | 'description'
    | 'private'
    | 'init'
    | 'branch'
    | 'license'
    | 'gitignore'
    | 'readme'
    | 'labels'
    | 'template'
    | 'trust'
    | 'format';
  readonly 'repo migrate':
    | 'address'
    | 'repository'
    | 'service'
    | 'with'
    | 'private'
    | 'public'
    | 'mirror'
    | 'every'
    | 'description'
    | 'lfsEndpoint'
    | 'login'
    | 'leftover';
  readonly 'repo search':
    | 'words'
    | 'owner'
    | 'kind'
    | 'visibility'
    | 'archived'
    | 'templates'
    | 'topic'
    | 'descriptions'
    | 'sort'
    | 'order'
    | 'from';
  readonly 'repo use': 'repository';
  readonly 'repo watched': 'person' | 'from';
  readonly 'review hand-back': 'pull';
  readonly 'review take': 'pull';
  readonly 'reviews report': 'of' | 'since';
  readonly 'run approve': 'run';
  readonly 'run cancel': 'run';
  readonly 'run flaky': 'repository';
  readonly 'run force-cancel': 'run' | 'also' | 'reason';
  readonly 'run list': 'repository' | 'status' | 'branch' | 'event' | 'actor' | 'from';
  readonly 'run log': 'run' | 'job' | 'lines';
  readonly 'run rerun': 'run' | 'failed' | 'job';
  readonly 'run show': 'run';
  readonly 'run stuck': 'repository' | 'workflow' | 'branch' | 'from';
  readonly 'runner add': 'name' | 'description' | 'ephemeral' | 'reason';
  readonly 'runner disable': 'runner';
  readonly 'runner drain': 'runner' | 'untilIdle' | 'until';
  readonly 'runner enable': 'runner';
  readonly 'runner list': 'only' | 'from';
  readonly 'runner remove': 'runner' | 'reason';
  readonly 'runner show': 'runner';
  readonly 'runner token': 'reason';
  readonly settings: 'messages' | 'replies' | 'quiet';
  readonly signin: never;
  readonly 'signin confirm': never;
  readonly 'signin other': never;
  readonly signout: never;
  readonly status: 'all' | 'details' | 'from';
  readonly subscribe: 'repositories' | 'filter' | 'features' | 'preview';
  readonly 'subscribe accept': 'subscription' | 'decline';
  readonly 'subscribe edit':
    | 'subscription'
    | 'features'
    | 'filters'
    | 'bots'
    | 'drafts'
    | 'runs'
    | 'thread'
    | 'style'
    | 'self'
    | 'preview';
  readonly 'subscribe features': never;
  readonly 'subscribe list': 'mine' | 'from';
  readonly 'subscribe owner': 'subscription' | 'person';
  readonly 'thread agree': 'repository' | 'answer' | 'issue' | 'body' | 'reply' | 'thread';
  readonly 'thread comment': 'issue' | 'body' | 'reply' | 'thread';
  readonly 'thread delete': 'reply';
  readonly 'thread edit': 'body' | 'reply';
  readonly todo: never;
  readonly unfollow: 'item' | 'me';
  readonly unmute: 'what' | 'everywhere';
  readonly unsubscribe: 'repositories' | 'filter';
  readonly whoami: never;
  readonly why: 'about';
  readonly 'workflow disable': 'repository' | 'workflow';
  readonly 'workflow enable': 'repository' | 'workflow';
  readonly 'workflow list': 'repository';
  readonly 'workflow run': 'repository' | 'workflow' | 'ref' | 'input';
}
