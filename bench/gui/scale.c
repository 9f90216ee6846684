/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The dashboard with very much in it, against the daemon on the bus that is the argument: each list is scrolled from end to end, sorted by each
 * column and searched letter by letter. Prints a line for each: the page, what is done, and the longest that the main loop was busy meanwhile
 * without looking for input, in milliseconds of CPU time: others on the machine have no part in it. */
#include <adwaita.h>

#include "thread-time.h"
#include "window.h"

#define WIDTH 1000
#define HEIGHT 760
#define FRAMES 120        /* of scrolling */
#define FRAMES_BETWEEN 12 /* from one letter, or column, to the next: what comes of the last is there by then */
#define FRAMES_SETTLED 30

enum action
{
  OPEN, /* until all of it is there */
  SCROLL,
  SORT,
  SEARCH,
};

static const char *const action_names[] = { [OPEN] = "open", [SCROLL] = "scroll", [SORT] = "sort", [SEARCH] = "search" };

static const struct step
{
  const char *page;
  enum action action;
  const char *text; /* to search for */
} steps[] = {
  { "overview", OPEN, NULL },  { "overview", SCROLL, NULL },  { "processes", OPEN, NULL },   { "processes", SCROLL, NULL },
  { "processes", SORT, NULL }, { "processes", SEARCH, "reader4999" }, { "decisions", OPEN, NULL }, { "decisions", SCROLL, NULL },
  { "decisions", SEARCH, "slice_idle" },
};

struct bench
{
  GMainLoop *loop;
  BrioClient *client;
  BrioWindow *window;
  const char *page; /* the only one; NULL: each */
  guint step, frame, still;
};

static gint64 busy_begin_ns, busy_longest_ns;

/* Between two of these the main loop does what is due. */
static gint
poll_and_note (GPollFD *fds,
               guint    n,
               gint     timeout_ms)
{
  gint r;

  busy_longest_ns = MAX (busy_longest_ns, thread_ns () - busy_begin_ns);
  r = g_poll (fds, n, timeout_ms);
  busy_begin_ns = thread_ns ();
  return r;
}

static GtkWidget *
find (GtkWidget *w,
      GType      type)
{
  if (!gtk_widget_get_mapped (w))
    return NULL;
  if (g_type_is_a (G_OBJECT_TYPE (w), type))
    return w;
  for (GtkWidget *c = gtk_widget_get_first_child (w); c; c = gtk_widget_get_next_sibling (c))
    {
      GtkWidget *found = find (c, type);

      if (found)
        return found;
    }
  return NULL;
}

static guint
next_step (struct bench *b,
           guint         step)
{
  while (step < G_N_ELEMENTS (steps) && b->page && !g_str_equal (steps[step].page, b->page))
    step++;
  return step;
}

/* TRUE when it is over. */
static gboolean
settle (struct bench *b)
{
  gboolean settled = brio_window_is_settled (b->window) && !brio_client_is_waiting (b->client);

  b->still = settled ? b->still + 1 : 0;
  return b->still >= FRAMES_SETTLED;
}

static gboolean
scroll (struct bench *b)
{
  AdwViewStack *pages = ADW_VIEW_STACK (find (GTK_WIDGET (b->window), ADW_TYPE_VIEW_STACK));
  GtkWidget *scrolled = find (adw_view_stack_get_visible_child (pages), GTK_TYPE_SCROLLED_WINDOW);
  GtkAdjustment *a = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (scrolled));
  double room = gtk_adjustment_get_upper (a) - gtk_adjustment_get_page_size (a);

  if (room < HEIGHT)
    g_error ("there is little to scroll on %s", steps[b->step].page);
  gtk_adjustment_set_value (a, room * b->frame / FRAMES);
  return b->frame == FRAMES;
}

static gboolean
sort (struct bench *b)
{
  GtkColumnView *view = GTK_COLUMN_VIEW (find (GTK_WIDGET (b->window), GTK_TYPE_COLUMN_VIEW));
  GListModel *columns = gtk_column_view_get_columns (view);
  g_autoptr (GtkColumnViewColumn) column = g_list_model_get_item (columns, b->frame / FRAMES_BETWEEN);

  if (column && b->frame % FRAMES_BETWEEN == 0 && gtk_column_view_column_get_sorter (column))
    gtk_column_view_sort_by_column (view, column, b->frame / FRAMES_BETWEEN % 2 ? GTK_SORT_DESCENDING : GTK_SORT_ASCENDING);
  return !column;
}

/* As a user types, and takes all of it back at the end. */
static gboolean
search (struct bench *b)
{
  const char *text = steps[b->step].text;
  int letter = (int) (b->frame / FRAMES_BETWEEN) - 1, all = (int) strlen (text);

  if (b->frame == 0)
    brio_window_search (b->window, "");
  else if (b->frame % FRAMES_BETWEEN == 0)
    {
      GtkEditable *entry = GTK_EDITABLE (find (GTK_WIDGET (b->window), GTK_TYPE_SEARCH_ENTRY));

      if (letter < all)
        gtk_editable_insert_text (entry, text + letter, 1, &letter);
      else
        gtk_editable_set_text (entry, "");
    }
  return letter > all + 1;
}

static gboolean
act (struct bench *b)
{
  switch (steps[b->step].action)
    {
    case OPEN:
      return settle (b);
    case SCROLL:
      return scroll (b);
    case SORT:
      return sort (b);
    case SEARCH:
      return search (b);
    }
  return TRUE;
}

static gboolean
on_tick (GtkWidget     *widget,
         GdkFrameClock *clock,
         gpointer       userdata)
{
  struct bench *b = userdata;

  (void) widget;
  (void) clock;
  if (b->frame == 0 && steps[b->step].action == OPEN)
    brio_window_show_page (b->window, steps[b->step].page);
  if (!act (b))
    {
      b->frame++;
      return G_SOURCE_CONTINUE;
    }
  g_print ("%s %s %.3f\n", steps[b->step].page, action_names[steps[b->step].action], (double) busy_longest_ns / 1e6);
  b->frame = b->still = 0;
  busy_longest_ns = 0;
  b->step = next_step (b, b->step + 1);
  if (b->step < G_N_ELEMENTS (steps))
    return G_SOURCE_CONTINUE;
  g_main_loop_quit (b->loop);
  return G_SOURCE_REMOVE;
}

int
main (int    argc,
      char **argv)
{
  g_autoptr (AdwApplication) application = NULL;
  struct bench b = { .loop = g_main_loop_new (NULL, FALSE) };

  if (argc != 2 && argc != 3)
    {
      g_printerr ("usage: %s BUS [PAGE]\n", argv[0]);
      return 2;
    }
  b.page = argv[2];
  b.step = next_step (&b, 0);
  /* For the style sheets and icons. */
  application = g_object_new (ADW_TYPE_APPLICATION, "application-id", "org.brio.Scale", "flags", G_APPLICATION_NON_UNIQUE, "resource-base-path",
                              "/org/brio/Brio", NULL);
  if (!g_application_register (G_APPLICATION (application), NULL, NULL))
    return 1;
  b.client = brio_client_new (argv[1]);
  b.window = brio_window_new (NULL, b.client, NULL);
  gtk_window_set_default_size (GTK_WINDOW (b.window), WIDTH, HEIGHT);
  gtk_widget_add_tick_callback (GTK_WIDGET (b.window), on_tick, &b, NULL);
  g_main_context_set_poll_func (NULL, poll_and_note);
  busy_begin_ns = thread_ns ();
  brio_client_start (b.client);
  gtk_window_present (GTK_WINDOW (b.window));
  g_main_loop_run (b.loop);
  gtk_window_destroy (GTK_WINDOW (b.window));
  g_object_unref (b.client);
  g_main_loop_unref (b.loop);
  return 0;
}
